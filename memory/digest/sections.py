"""The sections of a digest, and the events of the history that each one shows.

A digest shows changes to the knowledge of a space. It leaves out uses, restatements, pins, restores
and undos, which only the history lists. A memory in review counts as learned when it is approved.
"""

from datetime import datetime
from typing import Any

from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    OuterRef,
    Q,
    Subquery,
    TextChoices,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from foundation.readers import Reader
from memory.digest.weeks import Week
from memory.models import ConsolidationProposal, Memory, MemoryEvent, ProposalState, Status
from memory.models.consolidation import ProposalQuerySet
from memory.models.history import Action, HistoryQuerySet


class Section(TextChoices):
    """A part of a digest."""

    LEARNED = "learned", _("Learned")
    CHANGED = "changed", _("Changed")
    CONSOLIDATED = "consolidated", _("Consolidated")
    FORGOTTEN = "forgotten", _("Forgotten")


_CAME = (Action.CREATED, Action.APPROVED)
_EXPIRED = (Action.EXPIRED, Action.EVICTED)
_UNDOING = ("undone", "reverted", "restoration_undone")
"""Codes of the reasons of events that undid another one."""


def events_of(space: Space, reader: Reader, week: Week) -> HistoryQuerySet:
    """Return the events of a week that a digest shows, each with its `section`, and with
    `replaces`: true if the memory replaced another one."""
    rows = MemoryEvent.objects.in_space(space).readable_by(reader)
    return in_sections(rows.filter(**_within("at", week)))


def in_sections(events: HistoryQuerySet) -> HistoryQuerySet:
    """Return those of the events that a digest shows, annotated as by `events_of`."""
    shown: HistoryQuerySet = events.filter(
        ~Exists(_same_action(ConsolidationProposal)),  # shown as consolidated
        ~Exists(_in_review()),
        ~_merged_on_approval(),
        action__in=[*_CAME, Action.REVISED, *_EXPIRED, Action.DELETED],
    ).exclude(reason_code__in=_UNDOING)
    others = _same_action(MemoryEvent).exclude(memory_id=OuterRef("memory_id"))
    shown = shown.annotate(replaces=Exists(others.filter(action=Action.DELETED)))
    came = Q(action=Action.APPROVED) | Q(action=Action.CREATED) & ~Exists(_reviewed())
    replaced = Exists(others.filter(action__in=_CAME))
    section = Case(
        When(came & Q(replaces=False), then=Value(Section.LEARNED.value)),
        When(came | Q(action=Action.REVISED), then=Value(Section.CHANGED.value)),
        When(action__in=_EXPIRED, then=Value(Section.FORGOTTEN.value)),
        When(Q(action=Action.DELETED) & ~replaced, then=Value(Section.FORGOTTEN.value)),
        output_field=CharField(null=True),
    )
    return shown.annotate(section=section).filter(section__isnull=False)


def proposals_of(space: Space, reader: Reader, week: Week) -> ProposalQuerySet:
    """Return the proposals to consolidate that were applied in a week, undone since or not, as
    annotated by `with_actions`."""
    rows: ProposalQuerySet = ConsolidationProposal.objects.in_space(space).readable_by(reader)
    return with_actions(rows).filter(**_within("decided_at", week))


def with_actions(proposals: ProposalQuerySet) -> ProposalQuerySet:
    """Return those of the proposals that were applied, undone since or not, each with `in_action`:
    the number of proposals of its action that are not undone."""
    states = (ProposalState.APPLIED, ProposalState.UNDONE)
    same = _same_action(ConsolidationProposal).applied().order_by().values("action_id")
    return proposals.filter(action_id__isnull=False, state__in=states).annotate(
        in_action=Coalesce(Subquery(same.annotate(n=Count("pk")).values("n")), 0)
    )


def _within(column: str, week: Week) -> dict[str, datetime]:
    return {f"{column}__gte": week.begins_at, f"{column}__lt": week.ends_at}


def _same_action(model: Any) -> Any:
    """Return the rows of the event's action."""
    return model.objects.filter(space_id=OuterRef("space_id"), action_id=OuterRef("action_id"))


def _of_memory() -> Any:
    """Return the events of the event's memory."""
    return MemoryEvent.objects.filter(
        space_id=OuterRef("space_id"), memory_id=OuterRef("memory_id")
    )


def _in_review() -> Any:
    return Memory.objects.filter(
        space_id=OuterRef("space_id"), pk=OuterRef("memory_id"), status=Status.REVIEW
    )


def _reviewed() -> Any:
    """Return the decisions about the event's memory in review."""
    return _of_memory().filter(action__in=[Action.APPROVED, Action.REJECTED])


def _merged_on_approval() -> Q:
    """Return the condition on a memory that was approved and merged into another one at once: the
    other one was changed."""
    both = (Action.APPROVED, Action.DELETED)
    other = _same_action(MemoryEvent).filter(memory_id=OuterRef("memory_id"), action__in=both)
    return Q(Exists(other.exclude(pk=OuterRef("pk"))), action__in=both)
