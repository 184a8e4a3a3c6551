"""The interface of responders; callers do not depend on the kind."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from assessor.llm import ChatMessage, Chunk
from chat.models import MemoryUse
from chat.responders.toolbox import Toolbox, ToolUse
from memory.model_connections.usage import UsageMeter
from memory.models import Memory, ModelConnection
from memory.policy import PolicyDocument
from memory.recall.results import Result

MOST_KNOWN = 20
"""The memories that are recalled for "what do you know about me?"."""


@dataclass(frozen=True)
class Turn:
    """The input of a reply: the history with the question last, and the recalled memories.

    `memory` is the conversation's MemoryUse: if it is off, there was no recall. `system_prompt` is
    the conversation's own prompt, "" if none. `standing` are the memories that say how to answer,
    `rules` the space's policy, and `tools` the tools for the model, None if it calls none.
    """

    history: Sequence[ChatMessage]
    results: Sequence[Result]
    now: datetime
    memory: str = MemoryUse.ON
    system_prompt: str = ""
    standing: Sequence[Memory] = ()
    rules: PolicyDocument = PolicyDocument()
    tools: Toolbox | None = None

    @property
    def question(self) -> str:
        """The text of the last message."""
        return self.history[-1].content


@dataclass(frozen=True)
class Offer:
    """An offer to delete these recalled memories; the page shows a button for each. The reply is
    about these memories only.
    """

    memory_ids: Sequence[UUID]


class Responder(ABC):
    """Answers a turn. `label` is shown beside the answer."""

    label: str
    # The connection of its model, None without one.
    connection: ModelConnection | None = None
    # The calls to its model, None without one.
    meter: UsageMeter | None = None

    def calls_tools(self) -> bool:
        """Return whether tools are offered to its model."""
        return False

    def store_usage(self, now: datetime) -> None:
        """Add the calls to its model to the day's sums."""
        if self.meter:
            self.meter.store(now)

    @abstractmethod
    def stream(self, turn: Turn) -> AsyncGenerator[Chunk | ToolUse | Offer]:
        """Yield text, used tools and offers as they come, then Finished; raises ModelError at any
        point."""
