"""Who answers. Each responder is a backend beside the others; nobody asks which one it is."""

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
    """What is to be answered: what was said so far, the question last, and what was recalled.

    `memory` is the conversation's MemoryUse: where it is off, nothing was looked up.
    `system_prompt` is its own, "" if it has none; `rules` are the space's; `tools` is what a model
    may call.
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
        return self.history[-1].content


class Responder(ABC):
    """Answers a turn. `label` is shown beside the answer."""

    label: str

    @abstractmethod
    def stream(self, turn: Turn) -> AsyncGenerator[Chunk | ToolUse]:
        """Text and used tools as they come, then Finished; or a ModelError at any point."""
