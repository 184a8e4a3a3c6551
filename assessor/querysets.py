"""Reads on assessments."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from assessor.models import Assessment  # noqa: F401 - named in the base class
    from memory.models import Space


class AssessmentQuerySet(models.QuerySet["Assessment"]):
    """Reads on assessments; each but `to_do` begins with `in_space`."""

    def in_space(self, space: Space) -> AssessmentQuerySet:
        return self.filter(space_id=space.pk)

    def claimable(self, now: datetime) -> AssessmentQuerySet:
        """Those whose turn has come, and those whose worker has let its lease run out."""
        waiting = Q(state__in=["queued", "retrying"], due_at__lte=now)
        abandoned = Q(state="running", leased_until__lt=now)
        return self.filter(waiting | abandoned)
