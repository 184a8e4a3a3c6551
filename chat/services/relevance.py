"""A person's word on what was recalled for a reply: it had nothing to do with the question."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from chat.models import Message
from memory.actors import Actor
from memory.lab.relevance import mark_relevance, unmark_relevance
from memory.models import Reason, User
from memory.store.uses import Use, give_back_use, take_back_use


@transaction.atomic
def mark_irrelevant(
    *, message: Message, memory_id: UUID, user: User, actor: Actor, now: datetime
) -> None:
    """Marks the memory as not relevant to the reply's question. Where it was put before the model,
    the use that this counted is taken back. Raises NotFound for a memory that is gone for good."""
    space, question = message.space, question_of(message)
    mark_relevance(
        space=space, query=question, memory_id=memory_id, relevant=False, user=user, now=now
    )
    uses = _held_uses(message)
    use = uses.get(str(memory_id))
    if use and not use.get("taken_back"):
        take_back_use(
            space=space,
            memory_id=memory_id,
            use=Use.model_validate(use),
            actor=actor,
            now=now,
            reason=Reason("irrelevant", question),
        )
        _note(message, uses | {str(memory_id): use | {"taken_back": True}})


@transaction.atomic
def unmark_irrelevant(*, message: Message, memory_id: UUID, actor: Actor, now: datetime) -> None:
    """Undoes `mark_irrelevant`; raises NotFound for a memory that is gone for good."""
    space, question = message.space, question_of(message)
    unmark_relevance(space=space, query=question, memory_id=memory_id)
    uses = _held_uses(message)
    use = uses.get(str(memory_id))
    if use and use.get("taken_back"):
        give_back_use(
            space=space,
            memory_id=memory_id,
            use=Use.model_validate(use),
            actor=actor,
            now=now,
            reason=Reason("relevant_again", question),
        )
        _note(message, uses | {str(memory_id): use | {"taken_back": False}})


def question_of(message: Message) -> str:
    """What the reply answers: the last that the user said before it."""
    said = Message.objects.in_space(message.space).filter(
        conversation_id=message.conversation_id,
        position__lt=message.position,
        role=Message.Role.USER,
    )
    return said.order_by("-position").values_list("content", flat=True).first() or ""


def _held_uses(message: Message) -> dict[str, dict[str, object]]:
    """The reply's uses, held against a second press at the same moment."""
    rows = Message.objects.in_space(message.space).select_for_update()
    uses: dict[str, dict[str, object]] = rows.values_list("uses", flat=True).get(pk=message.pk)
    return uses


def _note(message: Message, uses: dict[str, dict[str, object]]) -> None:
    message.uses = uses
    Message.objects.filter(space_id=message.space_id, pk=message.pk).update(uses=uses)
