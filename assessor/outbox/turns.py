"""Turns between spaces: the backlog of one space does not delay the exchanges of the others, and
its model, if that answers slowly, does not keep all threads of a worker."""

import threading
from collections import Counter
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import InternalError, OperationalError, transaction

from accounts.models import Space
from assessor.models import Assessment
from assessor.outbox.services import claim


class Turns:
    """The order in which the spaces had their turns in this process, the latest last, and the
    number of turns that each space has now: at most `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._running: Counter[int] = Counter()
        self._turned_away = 0
        self._order: dict[int, None] = {}
        self._lock = threading.Lock()

    def take(self, space_ids: Collection[int]) -> int | None:
        """Return the space among these whose last turn is the longest ago, and give it a turn;
        None if there is none, or each has as many turns as it may."""
        with self._lock:
            free = [one for one in space_ids if self._running[one] < self._most]
            self._turned_away += bool(space_ids and not free)
            new = [one for one in free if one not in self._order]
            first = min(new, default=None)
            if first is None:
                first = next((one for one in self._order if one in free), None)
            if first is not None:
                self._order.pop(first, None)
                self._order[first] = None
                self._running[first] += 1
            return first

    def leave(self, space_id: int) -> None:
        """End a turn of the space."""
        with self._lock:
            self._running[space_id] -= 1

    def recall_task(self) -> bool:
        """Return whether a task was turned away because no space had a free turn, and forget it.
        Another task must then replace it."""
        with self._lock:
            was_turned_away = self._turned_away > 0
            self._turned_away -= was_turned_away
            return was_turned_away


def claim_in_turn(
    *, space_id: int, assessment_id: UUID, now: datetime, turns: Turns
) -> Assessment | None:
    """Lease an exchange of the space whose turn it is, and return it; None if none can be claimed.

    A task names an exchange, but it only stands for one assessment: there are at least as many
    tasks as exchanges that wait. In its own space's turn the task gets the exchange that it names,
    or the oldest one if that is taken. The caller ends the turn of the claimed exchange.
    """
    turn = turns.take(_spaces_that_wait(space_id, now))
    if turn is None:
        return None
    claimed = None
    try:
        if turn == space_id:
            claimed = claim(space_id=space_id, assessment_id=assessment_id, now=now)
        claimed = claimed or _claim_oldest(turn, now)
    finally:
        if claimed is None:
            turns.leave(turn)
    return claimed


def _spaces_that_wait(space_id: int, now: datetime) -> list[int]:
    """Return the spaces with exchanges to assess; this space alone if not all can be asked."""
    # Not EXISTS: Citus cannot compare a table of all nodes with the rows of each space.
    waiting = Assessment.objects.claimable(now).values("space_id")
    try:
        return list(Space.objects.filter(pk__in=waiting).values_list("pk", flat=True))
    except (OperationalError, InternalError):  # a node of a cluster is away, not that of all spaces
        return [space_id]


@transaction.atomic
def _claim_oldest(space_id: int, now: datetime) -> Assessment | None:
    """Lease the space's exchange that is due the longest, apart from those that others claim."""
    rows = Assessment.objects.claimable(now).filter(space_id=space_id)
    oldest = rows.select_for_update(skip_locked=True).order_by("due_at", "pk")
    found = oldest.values_list("pk", flat=True).first()
    return claim(space_id=space_id, assessment_id=found, now=now) if found else None
