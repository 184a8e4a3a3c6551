"""Reads on assessments."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from assessor.models import Assessment  # noqa: F401 - named in the base class
    from memory.models import Space


MAX_ATTEMPTS = 8


class AssessmentQuerySet(models.QuerySet["Assessment"]):
    """Reads on assessments; each names its space, or is of all of them."""

    def in_space(self, space: Space) -> AssessmentQuerySet:
        return self.filter(space_id=space.pk)

    def claimable(self, now: datetime) -> AssessmentQuerySet:
        """Those whose turn has come, and those whose worker has let its lease run out.

        What is part of a span is judged with it.
        """
        waiting = Q(state__in=["queued", "retrying"], due_at__lte=now, part_of__isnull=True)
        return self.filter(waiting | _abandoned(now, attempts__lt=MAX_ATTEMPTS))

    def hopeless(self, now: datetime) -> AssessmentQuerySet:
        """Those that were left by a worker each time they were tried."""
        return self.filter(_abandoned(now, attempts__gte=MAX_ATTEMPTS))

    def held_by(self, worker: Assessment) -> AssessmentQuerySet:
        """The worker's row, if the lease on it that it was given still holds."""
        return self.filter(
            space_id=worker.space_id, pk=worker.pk, state="running", lease=worker.lease
        )

    def counted_by_state(self) -> dict[str, int]:
        """How many there are in each state, none left out."""
        state = self.model._meta.get_field("state")
        counted = dict(self.values_list("state").annotate(models.Count("pk")).order_by())
        return {name: counted.get(name, 0) for name, _ in state.choices or ()}

    def saying(self, words: str) -> AssessmentQuerySet:
        """Those in which these words stand together: in what was said or in what was made of it."""
        return self.filter(
            Q(user_message__icontains=words)
            | Q(assistant_response__icontains=words)
            | Q(summary__icontains=words)
        )


def _abandoned(now: datetime, **attempts: int) -> Q:
    return Q(state="running", leased_until__lt=now, **attempts)
