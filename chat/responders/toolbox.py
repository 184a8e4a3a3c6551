"""The memory tools of one reply: the tools offered to the model, and the results of its calls.

A failure is returned to the model as the tool's result, because only the model can react to it.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import DatabaseError

from assessor.assessing import Exchange
from assessor.llm import ToolCall
from assessor.screening import assessed_part, mask_exchange, why_held
from chat.models import Conversation, MemoryUse
from foundation.actors import Actor
from foundation.database.connections import in_thread
from foundation.errors import EbbError, NotFound
from foundation.readers import Reader
from foundation.texts.storable import storable
from memory.embeddings import EmbeddingError
from memory.policy import PolicyDocument
from memory.recall.results import Result
from memory.tools import TOOLS, Caller, Tool, ToolAnswer, refusal

logger = logging.getLogger(__name__)

OFFERED: dict[str, Sequence[str]] = {
    MemoryUse.ON: ("remember", "search_memories", "update_memory", "forget"),
    MemoryUse.READ_ONLY: ("search_memories",),
    MemoryUse.OFF: (),
}


@dataclass(frozen=True)
class ToolUse:
    """A call and its result. `arguments` is the model's own text if it could not be parsed.

    `memory` is the memory it wrote (id, content, status), `found` the results that a search sent to
    the model.
    """

    name: str
    arguments: dict[str, Any] | str
    text: str
    ok: bool
    memory: dict[str, Any] | None = None
    found: Sequence[Result] = ()

    def shown(self) -> dict[str, Any]:
        """Return the call as stored beside the reply and sent in an event."""
        return {
            "name": self.name,
            "arguments": self.arguments,
            "text": self.text,
            "ok": self.ok,
            "memory": self.memory,
        }


@dataclass
class Toolbox:
    """The tools for the model that answers `said`, by the person `said_by`; `uses` are its calls,
    in order."""

    conversation: Conversation
    said: str
    rules: PolicyDocument
    model: str
    now: datetime
    said_by: str | None
    uses: list[ToolUse] = field(default_factory=list)

    @property
    def specs(self) -> list[dict[str, Any]]:
        """The offered tools as OpenAI function specs."""
        return [TOOLS[name].spec for name in self._offered]

    async def use(self, call: ToolCall) -> ToolUse:
        """Run the call and return its result or refusal; raises nothing."""
        work = asyncio.ensure_future(in_thread(self._answered, call))
        try:
            return await asyncio.shield(work)
        finally:
            # The reader may disconnect meanwhile. A memory written by then is still recorded.
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
        """Return one of the offered tools; raises NotFound."""
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
            review_reason=self._review_reason,
            reader=Reader(self.conversation.user_id),
            person=self.said_by,
            agent_id=self.conversation.agent_id,
            session_id=self.conversation.session_id,
        )

    def _review_reason(self, words: str) -> str | None:
        """Screen the words like an assessor's summary; return the reason for a review, or None.

        A page that the user pasted may contain instructions for the model.
        """
        if not self.rules.assessment.review:
            return None
        exchange = Exchange(self.said)
        # The reason quotes the message, and stays in the review inbox.
        masks = self.rules.assessment.mask_secrets
        said = assessed_part(mask_exchange(exchange) if masks else exchange)
        return why_held([said], [words]) or None


def _written(answer: ToolAnswer) -> dict[str, Any] | None:
    if "content" not in answer.data:
        return None
    return {name: answer.data[name] for name in ("id", "content", "status")}
