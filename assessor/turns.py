"""Turns between spaces: the backlog of one space does not delay the exchanges of the others."""

import threading
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import InternalError, OperationalError, transaction

from assessor.models import Assessment
from assessor.services import claim
from memory.models import Space


class Turns:
    """The order in which the spaces had their turns in this process, the latest last."""

    def __init__(self) -> None:
        self._order: dict[int, None] = {}
        self._lock = threading.Lock()

    def take(self, space_ids: Collection[int]) -> int | None:
        """Return the space among these whose last turn is the longest ago, and give it a turn;
        None if there is none."""
        with self._lock:
            new = [one for one in space_ids if one not in self._order]
            first = min(new, default=None)
            if first is None:
                first = next((one for one in self._order if one in space_ids), None)
            if first is not None:
                self._order.pop(first, None)
                self._order[first] = None
            return first


def claim_in_turn(
    *, space_id: int, assessment_id: UUID, now: datetime, turns: Turns
) -> Assessment | None:
    """Lease an exchange of the space whose turn it is, and return it; None if none can be claimed.

    A task names an exchange, but it only stands for one assessment: there are at least as many
    tasks as exchanges that wait. In its own space's turn the task gets the exchange that it names,
    or the oldest one if that is taken.
    """
    try:
        turn = turns.take(_spaces_that_wait(now))
    except (OperationalError, InternalError):  # a node of a cluster is away, not that of all spaces
        turn = space_id
    if turn == space_id:
        named = claim(space_id=space_id, assessment_id=assessment_id, now=now)
        if named is not None:
            return named
    return None if turn is None else _claim_oldest(turn, now)


def _spaces_that_wait(now: datetime) -> list[int]:
    # Not EXISTS: Citus cannot compare a table of all nodes with the rows of each space.
    waiting = Assessment.objects.claimable(now).values("space_id")
    return list(Space.objects.filter(pk__in=waiting).values_list("pk", flat=True))


@transaction.atomic
def _claim_oldest(space_id: int, now: datetime) -> Assessment | None:
    """Lease the space's exchange that is due the longest, apart from those that others claim."""
    rows = Assessment.objects.claimable(now).filter(space_id=space_id)
    oldest = rows.select_for_update(skip_locked=True).order_by("due_at", "pk")
    found = oldest.values_list("pk", flat=True).first()
    return claim(space_id=space_id, assessment_id=found, now=now) if found else None
