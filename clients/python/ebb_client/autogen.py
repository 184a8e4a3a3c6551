"""AutoGen: a memory for its agents."""

from typing import Any

from autogen_core import CancellationToken
from autogen_core.memory import (
    Memory,
    MemoryContent,
    MemoryMimeType,
    MemoryQueryResult,
    UpdateContextResult,
)
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import SystemMessage, UserMessage

from ebb_client.async_client import AsyncEbb
from ebb_client.for_models import async_notes


class EbbMemory(Memory):
    """The memories of the client's user. AutoGen gives a memory no replies, so Ebb learns only what
    is added."""

    def __init__(self, ebb: AsyncEbb) -> None:
        self._ebb = ebb

    @property
    def name(self) -> str:
        """The name of the memory."""
        return "ebb"

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Add the memories for the latest user message to the context, as a system message."""
        messages = await model_context.get_messages()
        said = [str(one.content) for one in messages if isinstance(one, UserMessage)]
        notes = await async_notes(self._ebb, said[-1]) if said else ""
        if notes:
            await model_context.add_message(SystemMessage(content=notes))
        results = [_content(notes)] if notes else []
        return UpdateContextResult(memories=MemoryQueryResult(results=results))

    async def query(
        self,
        query: str | MemoryContent,
        cancellation_token: CancellationToken | None = None,
        **kwargs: Any,
    ) -> MemoryQueryResult:
        """Return the memories that fit a question, best first."""
        text = query if isinstance(query, str) else str(query.content)
        found = await self._ebb.search(text)
        results = [
            _content(
                result["memory"]["content"],
                id=result["memory"]["id"],
                score=result["score"],
                relevance=result["relevance"],
            )
            for result in found["results"]
        ]
        return MemoryQueryResult(results=results)

    async def add(
        self, content: MemoryContent, cancellation_token: CancellationToken | None = None
    ) -> None:
        """Save a text as a memory. Raises TypeError for other contents."""
        if not isinstance(content.content, str):
            raise TypeError("Ebb remembers texts only")
        await self._ebb.remember(content.content, metadata=content.metadata or {})

    async def clear(self) -> None:
        """Raise NotImplementedError: Ebb forgets memories one by one."""
        raise NotImplementedError("delete memories one by one, with Ebb.forget")

    async def close(self) -> None:
        """Close the client."""
        await self._ebb.close()


def _content(text: str, **metadata: Any) -> MemoryContent:
    return MemoryContent(content=text, mime_type=MemoryMimeType.TEXT, metadata=metadata)
