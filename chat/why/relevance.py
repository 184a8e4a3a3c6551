"""Marks memories recalled for a reply as irrelevant to its question, at a person's request."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import User
from chat.models import Message
from foundation.actors import Actor
from memory.lab.relevance import mark_relevance, unmark_relevance
from memory.models import Reason
from memory.store.uses import Use, redo_use, undo_use


@transaction.atomic
def mark_irrelevant(
    *, message: Message, memory_id: UUID, user: User, actor: Actor, now: datetime
) -> None:
    """Mark the memory as irrelevant to the reply's question.

    If it was sent to the model, that use is undone. Raises NotFound for a purged memory.
    """
    space, question = message.space, question_of(message)
    _lock(message)
    mark_relevance(
        space=space, query=question, memory_id=memory_id, relevant=False, user=user, now=now
    )
    _change_use(
        message,
        memory_id,
        undo_use,
        taken_back=True,
        actor=actor,
        now=now,
        reason=Reason("irrelevant", question),
    )


@transaction.atomic
def unmark_irrelevant(*, message: Message, memory_id: UUID, actor: Actor, now: datetime) -> None:
    """Undo `mark_irrelevant`; raises NotFound for a purged memory."""
    space, question = message.space, question_of(message)
    _lock(message)
    unmark_relevance(space=space, query=question, memory_id=memory_id)
    _change_use(
        message,
        memory_id,
        redo_use,
        taken_back=False,
        actor=actor,
        now=now,
        reason=Reason("relevant_again", question),
    )


def question_of(message: Message) -> str:
    """Return the user's message that the reply answers."""
    said = Message.objects.in_space(message.space).filter(
        conversation_id=message.conversation_id,
        position__lt=message.position,
        role=Message.Role.USER,
    )
    return said.order_by("-position").values_list("content", flat=True).first() or ""


def _lock(message: Message) -> None:
    """Lock the message against a concurrent second request, before any memory. Finishing a reply
    locks both in the same order.
    """
    Message.objects.in_space(message.space).select_for_update().get(pk=message.pk)


def _change_use(
    message: Message,
    memory_id: UUID,
    change: Callable[..., None],
    *,
    taken_back: bool,
    **details: Any,
) -> None:
    """Undo the use of a memory, or restore it, once. The message is locked."""
    rows = Message.objects.in_space(message.space).filter(pk=message.pk)
    uses: dict[str, dict[str, Any]] = rows.values_list("uses", flat=True).get()
    use = uses.get(str(memory_id))
    if use and use.get("taken_back", False) != taken_back:
        old = Use.model_validate(use)
        change(space=message.space, memory_id=memory_id, use=old, **details)
        message.uses = uses | {str(memory_id): use | {"taken_back": taken_back}}
        rows.update(uses=message.uses)
