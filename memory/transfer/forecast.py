"""Forecast of an import: the lifetimes of the memories that it would add, and the space's capacity.

Counts live memories only, without those that the space has already.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q

from accounts.models import Space
from memory.formulas import retention_sql
from memory.models import Memory, MemoryEvent, PolicyVersion, Status
from memory.models.policies import current_policy
from memory.policy import PolicyDocument
from memory.transfer.conversations import SECTION as EXCHANGES
from memory.transfer.identity import places
from memory.transfer.sections import Row, Section
from memory.transfer.sources import Entry


class Forecast:
    """The counts of the rows read so far, by the policy that the space will have."""

    def __init__(self, space: Space, now: datetime, *, takes_policy: bool) -> None:
        self._space, self._now, self._takes_policy = space, now, takes_policy
        self._policy, self._version = current_policy(space).document, 0
        self._ends: Counter[datetime | None] = Counter()
        self._exchanges = self._new = self._known = 0

    def add(self, batch: Sequence[Entry]) -> None:
        """Count a batch of entries of one section."""
        section = batch[0].section
        rows = [entry.row for entry in batch if entry.section and not entry.wrong]
        if section is None or not rows:
            return
        if section.model is PolicyVersion and self._takes_policy:
            self._take_policy(rows)
        new = self._new_rows(section, rows)
        self._new += len(new)
        self._known += len(rows) - len(new)
        if section.model is Memory:
            self._count(new)
        if section.kind == EXCHANGES:
            self._exchanges += sum(row["state"] == "queued" for row in new)

    def result(self) -> dict[str, Any]:
        """Return the counts as JSON: `expire` has the number of memories that expire after the
        date before and by this one; those that have expired are "expired". `exchanges` will be
        assessed. `new` and `known` count the rows of all kinds."""
        new = sum(self._ends.values())
        expired = Q(retention_sql.is_expired(F("expires_at"), self._now), pinned=False)
        kept = Memory.objects.in_space(self._space).live().exclude(expired).count()
        stay = kept + new - self._expired
        return {
            "new": self._new,
            "known": self._known,
            "memories": new,
            "expired": self._expired,
            "expire": self._by_date(),
            "never": self._ends[None],
            "exchanges": self._exchanges,
            "capacity": self._policy.capacity,
            "over_capacity": max(0, stay - self._policy.capacity),
        }

    def _new_rows(self, section: Section, rows: Sequence[Row]) -> Sequence[Row]:
        """Return the rows that the space does not have. Without their memories, events add nothing;
        other rows without ids count as new."""
        if section.has_ids:
            known = places(self._space, section, [row["id"] for row in rows])
            return [row for row in rows if not known[row["id"]].known]
        if section.model is PolicyVersion:
            return rows if self._takes_policy else []
        return [] if section.model is MemoryEvent else rows

    def _take_policy(self, rows: Sequence[Row]) -> None:
        newest = max(rows, key=lambda row: int(row["version"]))
        if newest["version"] > self._version:
            self._version = newest["version"]
            self._policy = PolicyDocument.model_validate(newest["document"])

    def _count(self, rows: Sequence[Row]) -> None:
        for row in rows:
            if row["status"] == Status.LIVE:
                self._ends[None if row["pinned"] else row["expires_at"]] += 1

    @property
    def _expired(self) -> int:
        return sum(n for end, n in self._ends.items() if end is not None and end <= self._now)

    def _by_date(self) -> list[dict[str, Any]]:
        """Return the numbers of memories that expire within each of the policy's lifetimes, and
        later."""
        ttl = self._policy.ttl
        dates = [
            self._now + timedelta(days=days)
            for days in sorted({ttl.very_low_days, ttl.low_days, ttl.medium_days} - {0})
        ]
        found, begin = [], self._now
        for date in dates:
            count = sum(n for end, n in self._ends.items() if end and begin < end <= date)
            found.append({"by": date.isoformat(), "count": count})
            begin = date
        later = sum(n for end, n in self._ends.items() if end and end > begin)
        return [*found, {"by": None, "count": later}]
