"""The history of memories: events and past revisions."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any, ClassVar, NoReturn

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Case, CharField, Exists, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce, NullIf
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.actor_types import ActorType
from accounts.models.personal import PersonalQuerySet, user_field
from accounts.models.space_rows import SpaceForeignKey, SpaceRow
from foundation.actors import Actor
from foundation.texts.forms import folded
from memory.models.memories import LEGACY_ID, SHORT_ID, Memory, MemoryQuerySet

# Actions that move a memory into the bin or out of it; a rejected memory leaves by one of these.
MOVES = ("deleted", "expired", "evicted", "restored", "held")
_TOLD_BY_ACTION = {"expired": "expired", "evicted": "over_capacity", "rejected": "rejected"}


class HistoryQuerySet(PersonalQuerySet["MemoryEvent"]):
    """Queries on the history, which is append-only."""

    def in_space(self, space: Space) -> HistoryQuerySet:
        """Return the events of this space."""
        return self.filter(space_id=space.pk)

    def about(self, reference: str) -> HistoryQuerySet:
        """Return the events of a memory, by whole, short or legacy id; any other reference raises
        ValueError.

        A short id is the beginning of the whole one, so this also finds a purged memory.
        """
        if LEGACY_ID.fullmatch(reference):
            alias = Memory.objects.filter(space_id=OuterRef("space_id"), legacy_id=reference)
            return self.filter(memory_id__in=Subquery(alias.values("pk")))
        if not SHORT_ID.fullmatch(reference):
            return self.filter(memory_id=uuid.UUID(reference))
        rest = uuid.UUID(reference + "0" * 24), uuid.UUID(reference + "f" * 24)
        return self.filter(memory_id__range=rest)

    def saying(self, text: str) -> HistoryQuerySet:
        """Return events whose content contained this plain text at that moment, in any case."""
        return self.filter(content__folded__contains=folded(text))

    def of_action(self, action_id: uuid.UUID, actor: Actor) -> HistoryQuerySet:
        """Return the events of one action, or none if another actor did it."""
        return self.filter(action_id=action_id, actor_type=actor.type, actor_name=actor.name)

    def beside(self, events: Iterable[MemoryEvent]) -> HistoryQuerySet:
        """Return all events of the same actions as these. Old events have no action id: all events
        of one moment count as one action.
        """
        actions = (Q(at=event.at, action_id=event.action_id) for event in events)
        return self.filter(reduce(or_, actions, Q(pk__in=[])))

    def not_followed_by(self, *actions: str) -> HistoryQuerySet:
        """Leave out events that one of these actions on the same memory followed."""
        later = self.model._default_manager.filter(
            space_id=OuterRef("space_id"),
            memory_id=OuterRef("memory_id"),
            id__gt=OuterRef("pk"),
            action__in=actions,
        )
        return self.exclude(Exists(later))

    def unmoved(self) -> MemoryQuerySet:
        """Return memories that these events moved into or out of the bin, and that were not moved
        since.
        """
        return Memory.objects.filter(pk__in=self.not_followed_by(*MOVES).values("memory_id"))

    def removals(self) -> HistoryQuerySet:
        """Return removals to the bin, each with `why`: a BinReason.

        The event of a superseded memory is a deletion and does not say why. The reason is in the
        memory's row while it is in the bin, and after that in the event of its restoration or
        purge.
        """
        later = self.model._default_manager.filter(
            space_id=OuterRef("space_id"),
            memory_id=OuterRef("memory_id"),
            id__gt=OuterRef("pk"),
            action__in=["restored", "purged"],
        )
        binned = Memory.objects.filter(
            space_id=OuterRef("space_id"), pk=OuterRef("memory_id"), status="binned"
        )
        told = Coalesce(
            Subquery(later.order_by("id").values("reason")[:1]),
            Subquery(binned.values("bin_reason")),
        )
        why = Case(
            *(When(action=action, then=Value(why)) for action, why in _TOLD_BY_ACTION.items()),
            default=Coalesce(NullIf(told, Value("")), Value("deleted")),
            output_field=CharField(),
        )
        return self.filter(action__in=[*_TOLD_BY_ACTION, "deleted"]).annotate(why=why)

    def update(self, **kwargs: Any) -> NoReturn:
        """Raise TypeError: the history is append-only."""
        raise TypeError("The history is append-only.")


class Action(models.TextChoices):
    """The actions in a memory's history."""

    CREATED = "created", _("created")
    REVISED = "revised", _("revised")
    REINFORCED = "reinforced", _("reinforced")
    USED = "used", _("used")
    RENEWED = "renewed", _("renewed")
    UNUSED = "unused", _("use undone")
    EXPIRED = "expired", _("expired")
    EVICTED = "evicted", _("evicted")
    DELETED = "deleted", _("deleted")
    RESTORED = "restored", _("restored")
    PURGED = "purged", _("purged")
    PINNED = "pinned", _("pinned")
    UNPINNED = "unpinned", _("unpinned")
    EXTENDED = "extended", _("extended")
    HELD = "held", _("sent to review")
    APPROVED = "approved", _("approved")
    REJECTED = "rejected", _("rejected")
    RESET = "reset", _("adjustment reset")
    UNRESET = "unreset", _("reset undone")


class MemoryEvent(SpaceRow):
    """One event of the history. Append-only: it outlives the memory, so it has no foreign key to
    it.

    All events and revisions of one action have the same `action_id`; old ones have none.
    """

    id = models.BigAutoField(primary_key=True)
    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    memory_id = models.UUIDField(_("memory"))
    # Whom the memory belonged to then.
    user_id = user_field()
    at = models.DateTimeField(_("time"), default=timezone.now)
    action = models.CharField(_("action"), max_length=10, choices=Action)
    actor_type = models.CharField(_("actor type"), max_length=10, choices=ActorType)
    actor_name = models.CharField(_("actor"), max_length=150, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    # For pages (memory.models.reasons); empty for a reason that has only a sentence.
    reason_code = models.CharField(max_length=30, default="", db_default="", editable=False)
    reason_argument = models.TextField(default="", db_default="", editable=False)
    content = models.TextField(_("content"))
    importance = models.FloatField(_("importance"))
    current_importance = models.FloatField(_("importance at that time"))
    rank = models.PositiveIntegerField(_("rank"), null=True)
    policy_version = models.PositiveIntegerField(_("policy version"))
    action_id = models.UUIDField(null=True, editable=False)

    objects: ClassVar[models.Manager[MemoryEvent]] = HistoryQuerySet.as_manager()

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("history")
        indexes = [
            models.Index(fields=["space", "at", "id"], name="event_by_time"),
            models.Index(fields=["space", "memory_id", "at"], name="event_by_memory"),
            models.Index(
                fields=["space", "user_id", "at", "id"],
                condition=Q(user_id__isnull=False),
                name="event_by_user",
            ),
            models.Index(fields=["space", "action_id"], name="event_by_action_id"),
            models.Index(
                fields=["space", "action", "at", "id"],
                include=["memory_id"],
                name="event_by_action",
            ),
            # Events that took a memory out of the bin; they record the reason of its removal.
            models.Index(
                fields=["space", "memory_id", "id"],
                include=["reason"],
                condition=Q(action__in=["restored", "purged"]),
                name="event_out_of_the_bin",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_action_display()} · {self.content[:60]}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save a new event. Raises TypeError for an existing one."""
        if not self._state.adding:
            raise TypeError("The history is append-only.")
        super().save(*args, **kwargs)


class MemoryRevision(SpaceRow):
    """A past version of a memory, before a later revision replaced it."""

    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    memory = SpaceForeignKey(
        "memory.Memory", models.CASCADE, related_name="past_revisions", verbose_name=_("memory")
    )
    number = models.PositiveIntegerField(_("revision"))
    content = models.TextField(_("content"))
    memory_type = models.CharField(_("type"), max_length=12)
    importance = models.FloatField(_("importance"))
    facets = models.JSONField(_("facets"), null=True)
    reinforced_from = models.FloatField(_("importance before reinforcement"), null=True)
    tags = ArrayField(models.CharField(max_length=60), default=list, verbose_name=_("tags"))
    topics = ArrayField(models.CharField(max_length=120), default=list, verbose_name=_("topics"))
    # Null in revisions that are older than this column.
    metadata = models.JSONField(_("metadata"), null=True, editable=False)
    replaced_at = models.DateTimeField(_("replaced"), default=timezone.now)
    reason = models.TextField(_("reason"), blank=True)
    # For pages (memory.models.reasons); empty for a reason that has only a sentence.
    reason_code = models.CharField(max_length=30, default="", db_default="", editable=False)
    reason_argument = models.TextField(default="", db_default="", editable=False)
    actor_type = models.CharField(_("actor type"), max_length=10, choices=ActorType)
    actor_name = models.CharField(_("actor"), max_length=150, blank=True)
    action_id = models.UUIDField(null=True, editable=False)

    class Meta:
        verbose_name = _("earlier version")
        verbose_name_plural = _("earlier versions")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "memory", "number"], name="revision_once_per_number"
            )
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} · {self.number}"
