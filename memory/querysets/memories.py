"""Reads on memories and their vectors."""

from __future__ import annotations

import re
import uuid
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce

from memory.formulas import importance_sql

if TYPE_CHECKING:
    from memory.models import Embedder, Memory, MemoryEmbedding, Space  # noqa: F401 - named in the base class
    from memory.policy import DecayPolicy

_SHORT_ID = re.compile(r"[0-9a-f]{8}")


class MemoryQuerySet(models.QuerySet["Memory"]):
    """Reads on memories; each begins with `in_space`."""

    def in_space(self, space: Space) -> MemoryQuerySet:
        return self.filter(space_id=space.pk)

    def live(self) -> MemoryQuerySet:
        return self.filter(status="live")

    def binned(self) -> MemoryQuerySet:
        return self.filter(status="binned")

    def referred_to(self, reference: str) -> MemoryQuerySet:
        """By whole id or by short id; a reference that is neither raises ValueError."""
        if _SHORT_ID.fullmatch(reference):
            return self.filter(short_id=reference)
        return self.filter(pk=uuid.UUID(reference))

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


class MemoryEmbeddingQuerySet(models.QuerySet["MemoryEmbedding"]):
    """Reads on vectors."""

    def in_space(self, space: Space) -> MemoryEmbeddingQuerySet:
        return self.filter(space_id=space.pk)

    def made_by(self, embedder: Embedder) -> MemoryEmbeddingQuerySet:
        return self.filter(embedder_id=embedder.pk)
