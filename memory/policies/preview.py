"""Preview of policy changes: memories to be removed or kept, and search results.

Only reads, with the sweep's own queries (retention.statements). So the preview equals the effect of
changing the policy and sweeping at that time.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, IntegerField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from memory.embeddings.vectors import embed
from memory.formulas import retention_sql
from memory.formulas.ranking import PROFILES
from memory.models import Memory, Space
from memory.models.memories import MemoryQuerySet
from memory.models.policies import current_policy
from memory.policy import PolicyDocument, changed
from memory.recall.sql import Question, Shape, recalled
from memory.retention import statements

MAX_LISTED = 200
MAX_QUERIES = 20

_NO_RANK = Cast(Value(None), IntegerField())


@dataclass(frozen=True)
class Ranked:
    """A short search result; rank 1 is the best."""

    id: UUID
    short_id: str
    content: str
    score: float
    rank: int


@dataclass(frozen=True)
class Ranking:
    """A question's results now by the policy in effect, and later by the changed one."""

    query: str
    before: Sequence[Ranked]
    after: Sequence[Ranked]


@dataclass(frozen=True)
class Preview:
    """Memories to be removed and kept: counts of all, lists of the first 200. Each listed memory
    has `current_importance`, `rank`, `would_expire_at` and `why`.
    """

    would_expire: Sequence[Memory]
    would_evict: Sequence[Memory]
    would_stay: Sequence[Memory]
    counts: Mapping[str, int]
    rankings: Sequence[Ranking]


class _Fates:
    """A space's memories at a time by a policy: expired, removed for capacity, and kept."""

    def __init__(self, space: Space, document: PolicyDocument, ends: Combinable, then: datetime):
        self.document, self.ends, self.then = document, ends, then
        rows = Memory.objects.in_space(space)
        self.expiring = statements.expiring(rows, now=then, expires_at=ends)
        self.unexpired = statements.unexpired(rows, now=then, expires_at=ends)
        unexpired = self.unexpired.count()
        evictable = statements.evictable(
            self.unexpired, now=then, grace_hours=document.grace_hours, decay=document.decay
        )
        self.evicted = evictable[: max(0, unexpired - document.capacity)]
        evicted = self.evicted.count()
        self.counts = {
            "would_expire": self.expiring.count(),
            "would_evict": evicted,
            "would_stay": unexpired - evicted,
        }

    def expire(self) -> list[Memory]:
        """Return the first of the memories that would expire, each with `why`."""
        rows = self._weighed(self.expiring).annotate(why=Value("expired"), rank=_NO_RANK)
        return _first(rows, "would_expire_at", "pk")

    def evict(self) -> list[Memory]:
        """Return the first of the memories that capacity would remove, each with `why`."""
        rows = self.evicted.annotate(why=Value("over_capacity"), would_expire_at=self.ends)
        return list(rows.defer("search")[:MAX_LISTED])

    def stay(self) -> list[Memory]:
        """Return the most important of the memories that would be kept, each with `why`."""
        why = statements.why_staying(
            now=self.then, grace_hours=self.document.grace_hours, expires_at=self.ends
        )
        rows = self._weighed(self.unexpired.exclude(pk__in=self.evicted.values("pk")))
        rows = rows.annotate(why=why, rank=_NO_RANK)
        return _first(rows, "-current_importance", "pk")

    def gone(self, ids: Collection[UUID]) -> set[UUID]:
        """Return the ids among these that would have been removed."""
        rows = self.unexpired.filter(pk__in=ids).exclude(pk__in=self.evicted.values("pk"))
        return set(ids) - set(rows.values_list("pk", flat=True))

    def _weighed(self, rows: MemoryQuerySet) -> MemoryQuerySet:
        rows = rows.defer("search").with_importance_now(decay=self.document.decay, now=self.then)
        return rows.annotate(would_expire_at=self.ends)


def _first(rows: MemoryQuerySet, *order: str) -> list[Memory]:
    return list(rows.order_by(*order)[:MAX_LISTED])


def preview_policy(
    *,
    space: Space,
    changes: Mapping[str, Any],
    queries: Sequence[str],
    now: datetime,
    as_of: datetime | None = None,
) -> Preview:
    """Return what a sweep at `as_of`, now at the earliest, would do under the policy with these
    changes, and what the questions would find then. Raises InvalidArguments as change_policy does.
    """
    policy = current_policy(space).document
    document = changed(policy, {name: part for name, part in changes.items() if name != "version"})
    fates = _Fates(space, document, _ends(policy, document), max(as_of or now, now))
    return Preview(
        would_expire=fates.expire(),
        would_evict=fates.evict(),
        would_stay=fates.stay(),
        counts=fates.counts,
        rankings=[
            Ranking(
                question.text,
                _ranked(_found(question, policy, _limit(policy))),
                _ranked(_found_later(question, fates)),
            )
            for question in _questions(space, queries, now)
        ],
    )


def _ends(policy: PolicyDocument, document: PolicyDocument) -> Combinable:
    """Return the expression for the end of lifetimes: stored, unless the change recomputes it."""
    if document.ttl.tiers == policy.ttl.tiers:
        return F("expires_at")
    return retention_sql.expires_at(F("clock_started_at"), F("importance"), document.ttl.tiers)


def _questions(space: Space, queries: Sequence[str], now: datetime) -> list[Question]:
    if not queries:
        return []
    vectors = embed(space.embedder, queries, kind="query")
    return [
        Question(space, text, vector, now) for text, vector in zip(queries, vectors, strict=True)
    ]


def _limit(document: PolicyDocument) -> int:
    return PROFILES[document.recall.profile].limit or document.recall.limit


def _found(question: Question, document: PolicyDocument, limit: int) -> Sequence[Memory]:
    shape = Shape(
        profile=PROFILES[document.recall.profile],
        decay=document.decay,
        recall=document.recall,
        language=document.language,
        limit=limit,
    )
    return recalled(question, shape)


def _found_later(question: Question, fates: _Fates) -> Sequence[Memory]:
    """Return the results under the changed policy, without removed memories; asks for more until
    there are enough.
    """
    limit = reach = _limit(fates.document)
    while True:
        found = _found(replace(question, now=fates.then), fates.document, reach)
        gone = fates.gone([memory.pk for memory in found])
        staying = [memory for memory in found if memory.pk not in gone]
        if len(staying) >= limit or len(found) < reach:
            return staying[:limit]
        reach *= 4


def _ranked(found: Sequence[Memory]) -> list[Ranked]:
    return [
        Ranked(memory.pk, memory.short_id, memory.content, memory.score, place)  # type: ignore[attr-defined]  # annotated by recall
        for place, memory in enumerate(found, start=1)
    ]
