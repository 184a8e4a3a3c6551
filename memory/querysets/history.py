"""Reads on the history."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, NoReturn

from django.apps import apps
from django.db import models
from django.db.models import Case, CharField, OuterRef, Subquery, Value, When
from django.db.models.functions import Coalesce, NullIf

from memory.querysets.memories import SHORT_ID

if TYPE_CHECKING:
    from memory.models import MemoryEvent, Space  # noqa: F401 - named in the base class


_TOLD_BY_ACTION = {"expired": "expired", "evicted": "over_capacity", "rejected": "rejected"}


class HistoryQuerySet(models.QuerySet["MemoryEvent"]):
    """Reads on the history. What has happened is never changed."""

    def in_space(self, space: Space) -> HistoryQuerySet:
        return self.filter(space_id=space.pk)

    def about(self, reference: str) -> HistoryQuerySet:
        """Of one memory, by whole or short id; a reference that is neither raises ValueError.

        A short id is how the whole one begins, so it still finds a memory that was purged.
        """
        if not SHORT_ID.fullmatch(reference):
            return self.filter(memory_id=uuid.UUID(reference))
        rest = uuid.UUID(reference + "0" * 24), uuid.UUID(reference + "f" * 24)
        return self.filter(memory_id__range=rest)

    def saying(self, text: str) -> HistoryQuerySet:
        """Of memories whose content held this plain text at that moment, in any case."""
        return self.filter(content__icontains=text)

    def departures(self) -> HistoryQuerySet:
        """Of memories into the bin, each with `why`: a BinReason.

        That something was superseded its own line does not say, which is a deletion. The bin does
        while the memory lies there, and after that the line of its restoration or purge.
        """
        later = self.model._default_manager.filter(
            space_id=OuterRef("space_id"),
            memory_id=OuterRef("memory_id"),
            id__gt=OuterRef("pk"),
            action__in=["restored", "purged"],
        )
        binned = apps.get_model("memory", "Memory").objects.filter(
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
        raise TypeError("The history is append-only.")
