"""The memory tools of one reply: which of them the model is offered, and what a call came to.

A tool that fails is told to the model as its answer: the model can do better, the reader cannot.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import DatabaseError

from assessor.judging import Exchange
from assessor.llm import ToolCall
from assessor.screening import judged_part, screen
from assessor.storable import storable
from chat.models import Conversation, MemoryUse
from memory.actors import Actor
from memory.connections import in_thread
from memory.embeddings import EmbeddingError
from memory.errors import EbbError, NotFound
from memory.policy import PolicyDocument
from memory.recall.recall import Result
from memory.tools import TOOLS, Caller, Tool, ToolAnswer, refusal

logger = logging.getLogger(__name__)

OFFERED: dict[str, Sequence[str]] = {
    MemoryUse.ON: ("remember", "search_memories", "update_memory", "forget"),
    MemoryUse.READ_ONLY: ("search_memories",),
    MemoryUse.OFF: (),
}


@dataclass(frozen=True)
class ToolUse:
    """A call and its answer. `arguments` is the model's own text where it could not be read;
    `memory` is the one it wrote (id, content, status), `found` what a search put before the model.
    """

    name: str
    arguments: dict[str, Any] | str
    text: str
    ok: bool
    memory: dict[str, Any] | None = None
    found: Sequence[Result] = ()

    def shown(self) -> dict[str, Any]:
        """As it is stored beside the reply and sent in an event."""
        return {
            "name": self.name,
            "arguments": self.arguments,
            "text": self.text,
            "ok": self.ok,
            "memory": self.memory,
        }


@dataclass
class Toolbox:
    """What the model that answers `said` may use; `uses` is what it did use, in order."""

    conversation: Conversation
    said: str
    rules: PolicyDocument
    model: str
    now: datetime
    uses: list[ToolUse] = field(default_factory=list)

    @property
    def specs(self) -> list[dict[str, Any]]:
        """What the model is offered, as OpenAI function specs."""
        return [TOOLS[name].spec for name in self._offered]

    async def use(self, call: ToolCall) -> ToolUse:
        """Does what the model asks for, or says why not; raises nothing."""
        work = asyncio.ensure_future(in_thread(self._answered, call))
        try:
            return await asyncio.shield(work)
        finally:
            # The reader may leave meanwhile. What is written all the same is noted.
            self.uses.append(await work)

    @property
    def _offered(self) -> Sequence[str]:
        return OFFERED[self.conversation.memory]

    def _answered(self, call: ToolCall) -> ToolUse:
        name = storable(call.name)
        given: dict[str, Any] | str = storable(call.arguments)
        try:
            tool = self._tool(name)
            arguments = tool.parse(call.arguments)
            given = arguments.model_dump(mode="json", exclude_none=True)
            answer = tool.handler(self._caller(), arguments)
        except (EbbError, EmbeddingError) as error:
            return ToolUse(name, given, refusal(error), ok=False)
        except DatabaseError:
            logger.exception("The tool %s failed", name)
            return ToolUse(name, given, "The memory does not answer; nothing was done.", ok=False)
        return ToolUse(
            name, given, answer.text, ok=True, memory=_written(answer), found=answer.found
        )

    def _tool(self, name: str) -> Tool[Any]:
        """One of those that were offered; raises NotFound."""
        if name not in self._offered:
            raise NotFound(f"Unknown tool. Available tools: {', '.join(self._offered)}.")
        return TOOLS[name]

    def _caller(self) -> Caller:
        return Caller(
            space=self.conversation.space,
            actor=Actor("assistant", self.model),
            now=self.now,
            conversation_id=str(self.conversation.pk),
            profile=self.conversation.profile or None,
            said=self.said,
            held_because=self._held_because,
        )

    def _held_because(self, words: str) -> str | None:
        """Screened as a judge's summary of what was said would be: a page that the user pasted may
        have told the model what to remember."""
        if not self.rules.assessment.review:
            return None
        finding = screen(judged_part(Exchange(self.said)), words)
        return finding.reason if finding else None


def _written(answer: ToolAnswer) -> dict[str, Any] | None:
    if "content" not in answer.data:
        return None
    return {name: answer.data[name] for name in ("id", "content", "status")}
