"""Database writes of a reply: claim and end."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.expressions import Combinable
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import Space
from assessor.outbox.services import complete_exchange
from chat.models import Message
from chat.responders.commands import LISTS, command_in
from chat.why.attribution import attributed
from chat.why.relevance import question_of
from foundation.actors import Actor
from memory.models import Reason
from memory.store.uses import mark_used

LEASE = timedelta(minutes=2)
"""The lease is renewed while a reply is written. It is long enough to survive a short outage of the
database.
"""
USED_ONCE_IN = timedelta(days=1)
"""A standing rule counts as used at most once in this time."""


def lease_end() -> Combinable:
    """Return the end of a lease that begins now, as an expression of the database's clock."""
    return Now() + LEASE


def claim_reply(*, space: Space, message_id: UUID) -> bool:
    """Claim the reply for the caller to write; return True only once."""
    pending = Message.objects.in_space(space).filter(pk=message_id, state=Message.State.PENDING)
    return bool(pending.update(state=Message.State.STREAMING, leased_until=lease_end()))


def resume_reply(*, space: Space, message_id: UUID) -> bool:
    """Claim an ended reply to continue it; return whether the caller may write."""
    ended = [Message.State.DONE, Message.State.STOPPED, Message.State.FAILED]
    rows = Message.objects.in_space(space).shown().filter(pk=message_id, state__in=ended)
    return bool(
        rows.update(
            state=Message.State.STREAMING, leased_until=lease_end(), error="", error_code=""
        )
    )


def is_being_written(message: Message) -> bool:
    """Return whether the reply is pending or being written, and not overdue."""
    under_way = Message.objects.in_space(message.space).under_way(timezone.now())
    return under_way.filter(pk=message.pk).exists()


def stop_pending(*, space: Space, message_id: UUID, now: datetime) -> None:
    """Stop a reply that no process has begun to write."""
    if claim_reply(space=space, message_id=message_id):
        message = Message.objects.in_space(space).select_related("space").get(pk=message_id)
        finish_reply(message=message, reply=Reply(Message.State.STOPPED, "", "", [], []), now=now)


@dataclass(frozen=True)
class Reply:
    """A reply at its end.

    If it `goes_on`, it waits for results of the client's tools; its exchange is not assessed before
    they arrive or the reply is overdue. If it `is_cut`, it reached the model's length limit. If it
    `is_builtin`, it used only the memories that it quotes, because the others were not sent to a
    model. Without a `question`, the question is read from the conversation.
    """

    state: str
    content: str
    model: str
    recalled: list[dict[str, Any]]
    memory_ids: list[UUID]
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    usage: dict[str, int] | None = None
    error: str = ""
    error_code: str = ""
    goes_on: bool = False
    missed: list[dict[str, Any]] = field(default_factory=list)
    # The memories that said how to answer, as JSON.
    standing: list[dict[str, Any]] = field(default_factory=list)
    recall_ms: float | None = None
    is_cut: bool = False
    is_builtin: bool = False
    question: str | None = None

    @property
    def stored(self) -> dict[str, Any]:
        """The fields of the reply's row."""
        other = {"memory_ids", "goes_on", "is_builtin", "question"}
        return {k: v for k, v in vars(self).items() if k not in other}

    @classmethod
    def of(cls, message: Message) -> "Reply":
        """Return the finished reply that this row stores."""
        return cls(
            state=message.state,
            content=message.content,
            model=message.model,
            recalled=message.recalled,
            memory_ids=[],
            tool_calls=message.tool_calls,
            usage=message.usage,
            missed=message.missed,
            standing=message.standing,
            recall_ms=message.recall_ms,
            is_cut=message.is_cut,
        )


@transaction.atomic(savepoint=False)
def finish_reply(*, message: Message, reply: Reply, now: datetime) -> None:
    """Store the reply, count its memories as used, and release the exchange.

    Only the first end of a reply counts: if the reader leaves while the reply is being stored, it
    stays done.
    """
    row = Message.objects.filter(space_id=message.space_id, pk=message.pk)
    if not row.filter(state=Message.State.STREAMING).update(**reply.stored, leased_until=None):
        return
    followed, supporting = _followed(reply, now), _supporting(message, reply)
    sent = supporting if reply.is_builtin else reply.memory_ids
    if sent or followed:
        uses = mark_used(
            space=message.space,
            memory_ids={*sent, *followed},
            supporting=[*supporting, *followed],
            answered=_answered(reply, sent, supporting),
            actor=Actor("assistant", reply.model),
            now=now,
            reason=Reason("conversation", message.conversation_id),
        )
        kept = {str(memory_id): use.model_dump(mode="json") for memory_id, use in uses.items()}
        row.update(uses=kept)
    if message.assessment_id is not None and not reply.goes_on:
        complete_exchange(
            space=message.space,
            assessment_id=message.assessment_id,
            assistant_response=reply.content,
            now=now,
        )


def _followed(reply: Reply, now: datetime) -> list[UUID]:
    """Return the standing rules to count as used, each at most once a day, because they are sent
    with every message. So a rule in use does not expire.
    """
    used = {rule["id"]: rule["last_active_at"] for rule in reply.standing}
    return [
        UUID(id_)
        for id_, at in used.items()
        if at is None or now - datetime.fromisoformat(at) >= USED_ONCE_IN
    ]


def _answered(
    reply: Reply, sent: Collection[UUID], supporting: Collection[UUID]
) -> dict[UUID, bool]:
    """Return whether the answer used each memory that was sent. A stopped, cut, failed or
    unfinished answer says nothing about the memories that it has not used.
    """
    whole = reply.state == Message.State.DONE and not (reply.goes_on or reply.is_cut)
    return (dict.fromkeys(sent, False) if whole else {}) | dict.fromkeys(supporting, True)


def _supporting(message: Message, reply: Reply) -> list[UUID]:
    """Return the recalled memories that the answer used: it quotes them, names them, or contains
    what they say."""
    texts = {hit["memory"]["id"]: hit["memory"]["content"] for hit in reply.recalled}
    if not texts:
        return []
    question = question_of(message) if reply.question is None else reply.question
    if reply.is_builtin and command_in(question) in LISTS:
        return []  # or a question for all memories would renew them all
    return [UUID(id_) for id_ in attributed(reply.content, question, texts)]
