"""Database writes of a reply: claim and end."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from assessor.services import complete_exchange
from chat.models import Message
from memory.actors import Actor
from memory.models import Reason, Space
from memory.store.uses import mark_used


def claim_reply(*, space: Space, message_id: UUID) -> bool:
    """Claim the reply for the caller to write; return True only once."""
    pending = Message.objects.in_space(space).filter(pk=message_id, state=Message.State.PENDING)
    return bool(pending.update(state=Message.State.STREAMING))


def resume_reply(*, space: Space, message_id: UUID) -> bool:
    """Claim an ended reply to continue it; return whether the caller may write."""
    ended = [Message.State.DONE, Message.State.STOPPED, Message.State.FAILED]
    rows = Message.objects.in_space(space).shown().filter(pk=message_id, state__in=ended)
    return bool(rows.update(state=Message.State.STREAMING, error=""))


def stop_pending(*, space: Space, message_id: UUID, now: datetime) -> None:
    """Stop a reply that no process has begun to write."""
    if claim_reply(space=space, message_id=message_id):
        message = Message.objects.in_space(space).select_related("space").get(pk=message_id)
        finish_reply(message=message, reply=Reply(Message.State.STOPPED, "", "", [], []), now=now)


@dataclass(frozen=True)
class Reply:
    """A reply at its end.

    One that `goes_on` waits for results of the client's tools: until then, or until it is overdue,
    its exchange is not assessed. One that `is_cut` reached the model's length limit.
    """

    state: str
    content: str
    model: str
    recalled: list[dict[str, Any]]
    memory_ids: list[UUID]
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    usage: dict[str, int] | None = None
    error: str = ""
    goes_on: bool = False
    missed: list[dict[str, Any]] = field(default_factory=list)
    recall_ms: float | None = None
    is_cut: bool = False

    @property
    def stored(self) -> dict[str, Any]:
        """The fields of the reply's row."""
        return {k: v for k, v in vars(self).items() if k not in {"memory_ids", "goes_on"}}


@transaction.atomic
def finish_reply(*, message: Message, reply: Reply, now: datetime) -> None:
    """Store the reply, count its memories as used, and release the exchange.

    Only the first end of a reply counts: one whose reader leaves while it is stored stays done.
    """
    open_reply = Message.objects.filter(
        space_id=message.space_id, pk=message.pk, state=Message.State.STREAMING
    )
    if not open_reply.update(**reply.stored):
        return
    if reply.memory_ids:
        uses = mark_used(
            space=message.space,
            memory_ids=reply.memory_ids,
            actor=Actor("assistant", reply.model),
            now=now,
            reason=Reason("conversation", message.conversation_id),
        )
        kept = {str(memory_id): use.model_dump(mode="json") for memory_id, use in uses.items()}
        Message.objects.filter(space_id=message.space_id, pk=message.pk).update(uses=kept)
    if message.assessment_id is not None and not reply.goes_on:
        complete_exchange(
            space=message.space,
            assessment_id=message.assessment_id,
            assistant_response=reply.content,
            now=now,
        )
