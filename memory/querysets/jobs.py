"""Reads on long work."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import F, Q

if TYPE_CHECKING:
    from memory.models import Job, Space  # noqa: F401 - named in the base class

MAX_STILL = 8
"""So many workers in a row that did not get a step further, and the work is given up."""


class JobQuerySet(models.QuerySet["Job"]):
    """Reads on jobs; each but those of beat begins with `in_space`."""

    def in_space(self, space: Space) -> JobQuerySet:
        return self.filter(space_id=space.pk)

    def latest_of(self, kind: str) -> Job | None:
        """The newest job of this kind."""
        return self.filter(kind=kind).order_by("-created_at").first()

    def unfinished(self) -> JobQuerySet:
        return self.filter(state__in=["queued", "running"])

    def claimable(self, now: datetime) -> JobQuerySet:
        """Those that wait, and those whose worker has let its lease run out."""
        still_moving = Q(attempts__lt=F("moved_in") + MAX_STILL)
        return self.filter(Q(state="queued") | (_abandoned(now) & still_moving))

    def hopeless(self, now: datetime) -> JobQuerySet:
        """Those that were left again and again at the same place."""
        return self.filter(_abandoned(now), attempts__gte=F("moved_in") + MAX_STILL)


def _abandoned(now: datetime) -> Q:
    return Q(state="running", leased_until__lt=now)
