"""LlamaIndex: a memory block that recalls, and learns from the messages that it gets."""

from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemoryBlock
from pydantic import PrivateAttr

from ebb_client.async_client import AsyncEbb
from ebb_client.for_models import async_notes
from ebb_client.inputs import ExchangeOptions


class EbbMemoryBlock(BaseMemoryBlock[str]):
    """The memories for the latest user message.

    LlamaIndex gives a block the messages that leave its short-term memory. Ebb learns from them
    then.
    """

    name: str = "ebb"
    description: str | None = "Memories from earlier conversations."
    _ebb: AsyncEbb = PrivateAttr()

    def __init__(self, ebb: AsyncEbb, **fields: Any) -> None:
        super().__init__(**fields)
        self._ebb = ebb

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        said = [one.content or "" for one in messages or [] if one.role == MessageRole.USER]
        return await async_notes(self._ebb, said[-1]) if said else ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        said = ""
        for message in messages:
            content = message.content or ""
            if message.role == MessageRole.USER:
                said = content
            elif message.role == MessageRole.ASSISTANT and said.strip() and content:
                known: ExchangeOptions = {}
                if session := message.additional_kwargs.get("session_id"):
                    known["conversation_id"] = session
                await self._ebb.queue_assessment(said, content, **known)
                said = ""
