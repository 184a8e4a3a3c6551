"""The times of a memory: when its event happened, and from when to when it is true."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, When
from django.db.models.expressions import Combinable
from django.utils.translation import gettext_lazy as _

from accounts.models.zones import Spoken
from memory.formulas.expressions import seconds_after


class Precision(models.TextChoices):
    """The precision of an event's time."""

    DAY = "day", _("day")
    MONTH = "month", _("month")
    YEAR = "year", _("year")


BY_SUCCESSOR = models.Index(
    fields=["space", "superseded_by"],
    condition=Q(valid_to__isnull=False),
    name="memory_by_successor",
)
"""The index that finds the memories that a memory superseded."""

_WRITTEN = {"month": "%Y-%m", "year": "%Y"}


class Dated(Spoken):
    """A row that tells of an event, or of a fact that is true for some time."""

    # The first moment of the event's day, month or year in UTC, wherever the speaker was: it is a
    # date. Null if the text names no time.
    event_at = models.DateTimeField(_("time of the event"), null=True, blank=True)
    event_precision = models.CharField(
        _("precision of the time"),
        max_length=5,
        choices=Precision,
        blank=True,
        default="",
        db_default="",
    )
    # Null if it has been true since it was said.
    valid_from = models.DateTimeField(_("true since"), null=True, blank=True)
    # Set while a superseded memory is in the bin, and while its successor is not true yet; null for
    # all others.
    valid_to = models.DateTimeField(_("true until"), null=True, blank=True)
    # The id of the latest memory that superseded this one; kept when this one is restored.
    superseded_by = models.UUIDField(_("superseded by"), null=True, blank=True, editable=False)

    class Meta(Spoken.Meta):
        abstract = True

    @property
    def begins_at(self) -> datetime:
        """The moment from which it is true."""
        return self.valid_from or self.created_at

    @property
    def event_day(self) -> str:
        """The time of the event as exactly as it is known: `2026-03-05`, `2026-03` or `2026`; empty
        if there is none."""
        if self.event_at is None:
            return ""
        return self.event_at.strftime(_WRITTEN.get(self.event_precision, "%Y-%m-%d"))


def was_true() -> Q:
    """Return the condition on superseded memories: they were true until `valid_to`."""
    return Q(status="binned", bin_reason="superseded", valid_to__isnull=False)


def succeeded(memories: QuerySet[Any, Any]) -> Q:
    """Return the condition on superseded memories whose successor is one of these, in the bin or
    not. They stay in the bin as long as it does, for questions about the past."""
    successor = memories.filter(space_id=OuterRef("space_id"), pk=OuterRef("superseded_by"))
    return Q(was_true(), Exists(successor))


def purge_at(memories: QuerySet[Any, Any], bin_days: float) -> Case:
    """Return SQL for the time at which the sweep purges a binned memory, null while its successor
    is one of these memories."""
    day = seconds_after(F("binned_at"), bin_days * 86400)
    return Case(When(succeeded(memories), then=None), default=day)


def true_during(since: datetime | Combinable, until: datetime | Combinable) -> Q:
    """Return the condition on memories that are true at some moment from `since` to `until`."""
    begun = Q(valid_from__lte=until) | Q(valid_from__isnull=True, created_at__lte=until)
    return begun & (Q(valid_to__isnull=True) | Q(valid_to__gt=since))
