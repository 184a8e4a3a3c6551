"""LangChain: a middleware that recalls and learns, and a retriever."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import AgentState
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.messages import SystemMessage
from langchain_core.retrievers import BaseRetriever
from langgraph.runtime import Runtime
from pydantic import ConfigDict

from ebb_client.client import Ebb
from ebb_client.for_models import joined, notes
from ebb_client.langgraph import last_exchange, send_exchange


class EbbMiddleware(AgentMiddleware[Any, Any]):
    """Adds the memories for the latest human message to the system prompt of each model call, and
    sends the finished exchange to be assessed."""

    def __init__(self, ebb: Ebb, *, conversation_id: str | None = None) -> None:
        super().__init__()
        self._ebb = ebb
        self._conversation_id = conversation_id

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Call the model with the memories."""
        return handler(self._with_notes(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Call the model with the memories, which a thread recalls."""
        return await handler(await asyncio.to_thread(self._with_notes, request))

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Send the exchange to Ebb."""
        send_exchange(self._ebb, state["messages"], self._conversation_id)

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> None:
        """Send the exchange to Ebb, in a thread."""
        await asyncio.to_thread(self.after_agent, state, runtime)

    def _with_notes(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        found = notes(self._ebb, last_exchange(request.messages)[0])
        if not found:
            return request
        prompt = SystemMessage(joined(request.system_prompt, found))
        return request.override(system_message=prompt)


class EbbRetriever(BaseRetriever):
    """The `k` memories that fit a question best, as documents."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    ebb: Ebb
    k: int = 4

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        found = self.ebb.search(query, limit=k or self.k)
        return [
            Document(
                id=result["memory"]["id"],
                page_content=result["memory"]["content"],
                metadata={
                    "created_at": result["memory"]["created_at"],
                    "memory_type": result["memory"]["memory_type"],
                    "score": result["score"],
                    "relevance": result["relevance"],
                },
            )
            for result in found["results"]
        ]
