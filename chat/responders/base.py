"""The interface of responders; callers do not depend on the kind."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime

from assessor.llm import ChatMessage, Chunk
from chat.models import MemoryUse
from chat.toolbox import Toolbox, ToolUse
from memory.policy import PolicyDocument
from memory.recall.recall import Result


@dataclass(frozen=True)
class Turn:
    """The input of a reply: the history with the question last, and the recalled memories.

    `memory` is the conversation's MemoryUse: if off, there was no recall. `system_prompt` is the
    conversation's own, "" if none; `rules` are the space's policy; `tools` are the tools for the
    model.
    """

    history: Sequence[ChatMessage]
    results: Sequence[Result]
    now: datetime
    memory: str = MemoryUse.ON
    system_prompt: str = ""
    rules: PolicyDocument = PolicyDocument()
    tools: Toolbox | None = None

    @property
    def question(self) -> str:
        """The text of the last message."""
        return self.history[-1].content


class Responder(ABC):
    """Answers a turn. `label` is shown beside the answer."""

    label: str

    @abstractmethod
    def stream(self, turn: Turn) -> AsyncGenerator[Chunk | ToolUse]:
        """Yield text and used tools as they come, then Finished; raises ModelError at any point."""
