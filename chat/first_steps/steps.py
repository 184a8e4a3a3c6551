"""The playground's checklist for a person's first minutes, derived from what they did."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, Min, OuterRef, Q, Subquery
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import Space, User
from chat.models import Conversation, Message, MessageQuerySet
from memory.memories.samples import samples_in
from memory.models import MemoryEvent
from memory.models.history import Action, HistoryQuerySet


@dataclass(frozen=True)
class Step:
    """One step of the checklist: its label, how to do it, and whether it is done."""

    label: str | Promise
    how: str | Promise
    is_done: bool


def first_steps(space: Space, user: User, name: str) -> list[Step]:
    """Return the first steps of the user, who has this name in the space, in their order."""
    replies = _replies(space, user)
    saved = replies.filter(
        assessment__space_id=space.pk,
        assessment__taught__space_id=space.pk,
        assessment__taught__isnull=False,
    )
    said, is_saved, recalled, deleted = (
        User.objects.filter(pk=user.pk)
        .values_list(
            Exists(replies),
            Exists(saved),
            Exists(_recalled_later(space, user)),
            Exists(_deleted(space, user, name)),
        )
        .get()
    )
    return [
        Step(_("Say something"), _("Write a message about yourself."), said),
        Step(_("See it saved"), _("The result appears below the reply."), is_saved),
        Step(_("Ask in a new conversation"), _("Ask about what you said before."), recalled),
        Step(_("See why"), _("Press Why below a reply."), user.saw_why_at is not None),
        Step(_("Forget it"), _("Delete a memory, or write: forget that …"), deleted),
    ]


def saw_why(*, user: User, now: datetime) -> None:
    """Record that the user has opened the reasons of a reply."""
    if user.saw_why_at is None:
        User.objects.filter(pk=user.pk, saw_why_at=None).update(saw_why_at=now)


def hide_first_steps(*, user: User, now: datetime) -> None:
    """Stop showing the user the checklist, in all spaces."""
    User.objects.filter(pk=user.pk, hid_first_steps_at=None).update(hid_first_steps_at=now)


def _replies(space: Space, user: User) -> MessageQuerySet:
    """Return the replies in the conversations that the user began."""
    return Message.objects.in_space(space).filter(
        conversation__space_id=space.pk,
        conversation__created_by=user,
        role=Message.Role.ASSISTANT,
    )


def _first_said(space: Space, user: User) -> Subquery:
    """Return when the user began the first conversation."""
    own = Conversation.objects.filter(space_id=space.pk, created_by=user)
    return Subquery(own.order_by().values("space_id").annotate(at=Min("created_at")).values("at"))


def _recalled_later(space: Space, user: User) -> MessageQuerySet:
    """Return the replies with memories in a conversation that is not the user's first."""
    later = _replies(space, user).filter(conversation__created_at__gt=_first_said(space, user))
    return later.exclude(recalled=[])


def _deleted(space: Space, user: User, name: str) -> HistoryQuerySet:
    """Return the user's deletions of memories since the first message, except of several sample
    memories together."""
    events = MemoryEvent.objects.in_space(space).filter(
        action=Action.DELETED,
        actor_type="user",
        actor_name=name,
        at__gte=_first_said(space, user),
    )
    of_samples = Q(memory_id__in=samples_in(space).values("pk"))
    beside = events.filter(of_samples, action_id=OuterRef("action_id")).exclude(pk=OuterRef("pk"))
    return events.exclude(of_samples & Exists(beside))
