"""Reads on memories and their vectors."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.apps import apps
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce

from memory.formulas import importance_sql
from memory.formulas.expressions import seconds_after
from memory.held import QUOTE_BEGINS

if TYPE_CHECKING:
    from memory.models import Embedder, Memory, MemoryEmbedding, Space  # noqa: F401 - named in the base class
    from memory.policy import DecayPolicy

SHORT_ID = re.compile(r"[0-9a-f]{8}")
"""How a memory is named in short: the beginning of its id."""


class MemoryQuerySet(models.QuerySet["Memory"]):
    """Reads on memories; each begins with `in_space`."""

    def in_space(self, space: Space) -> MemoryQuerySet:
        return self.filter(space_id=space.pk)

    def live(self) -> MemoryQuerySet:
        return self.filter(status="live")

    def in_review(self) -> MemoryQuerySet:
        return self.filter(status="review")

    def held_as(self, kind: str) -> MemoryQuerySet:
        """Those that wait for the same reason, whatever words it was found in (memory.held)."""
        as_quoted = Q(review_reason__startswith=f"{kind}{QUOTE_BEGINS}")
        return self.in_review().filter(Q(review_reason=kind) | as_quoted)

    def rejected(self) -> MemoryQuerySet:
        """Those that a person has turned away, while they are in the bin."""
        return self.binned().filter(bin_reason="rejected")

    def binned(self) -> MemoryQuerySet:
        return self.filter(status="binned")

    def referred_to(self, *references: str) -> MemoryQuerySet:
        """By whole ids or by short ids; a reference that is neither raises ValueError."""
        short = [reference for reference in references if SHORT_ID.fullmatch(reference)]
        whole = [uuid.UUID(reference) for reference in references if reference not in short]
        return self.filter(Q(short_id__in=short) | Q(pk__in=whole))

    def without_vector_by(self, embedder: Embedder) -> MemoryQuerySet:
        """Those that this model has not embedded, in the bin or not."""
        vectors = apps.get_model("memory", "MemoryEmbedding").objects.filter(
            space_id=OuterRef("space_id"), embedder_id=embedder.pk, memory_id=OuterRef("pk")
        )
        return self.filter(~Exists(vectors))

    def whole(self, places: Sequence[Memory]) -> list[Memory]:
        """These memories with all that a page shows, in their order. Those that are gone since they
        were found are left out."""
        found = self.defer("search").in_bulk([place.pk for place in places])
        return [found[place.pk] for place in places if place.pk in found]

    def saying(self, text: str) -> MemoryQuerySet:
        """Those whose content or tags contain this plain text, in any case."""
        return self.filter(Q(content__icontains=text) | Q(tags__contains=[text.lower()]))

    def with_importance_now(self, *, decay: DecayPolicy, now: datetime) -> MemoryQuerySet:
        """Adds `time_coef` and `current_importance`, both in [0, 1], as of `now`."""
        age = importance_sql.age_days(Coalesce("last_active_at", "created_at"), now)
        coefficient = importance_sql.time_coef(
            age,
            F("use_count"),
            core=Q(core=True) | Q(pinned=True),
            floor=decay.floor,
            scale_days=decay.scale_days,
        )
        return self.annotate(time_coef=coefficient).annotate(
            current_importance=importance_sql.current_importance(F("importance"), F("time_coef"))
        )

    def with_purge_at(self, *, bin_days: float) -> MemoryQuerySet:
        """Adds `purge_at`: when the bin empties itself of a binned memory."""
        return self.annotate(purge_at=seconds_after(F("binned_at"), bin_days * 86400))


class MemoryEmbeddingQuerySet(models.QuerySet["MemoryEmbedding"]):
    """Reads on vectors."""

    def in_space(self, space: Space) -> MemoryEmbeddingQuerySet:
        return self.filter(space_id=space.pk)

    def made_by(self, embedder: Embedder) -> MemoryEmbeddingQuerySet:
        return self.filter(embedder_id=embedder.pk)
