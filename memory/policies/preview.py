"""Preview of policy changes: memories to be removed or kept, and search results.

Only reads, with the sweep's own queries (retention.statements). So the preview equals the effect of
changing the policy and sweeping at that time.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.db.models import F, IntegerField, Q, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from accounts.models import Space
from foundation.readers import SHARED, Reader
from memory.embeddings.vectors import embed_questions
from memory.formulas.ranking import PROFILES
from memory.models import Memory
from memory.models.memories import MemoryQuerySet, expiry_from
from memory.models.policies import current_policy
from memory.policy import PolicyDocument, changed
from memory.recall.recall import trusting
from memory.recall.share import share_of, turn
from memory.recall.sql import Question, Shape, recalled
from memory.recall.standing import standing_rules
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
    """A question's results now, and after a change."""

    query: str
    before: Sequence[Ranked]
    after: Sequence[Ranked]

    @property
    def hits(self) -> list[dict[str, Any]]:
        """Each later result (`hit`) with its earlier rank (`stood`), None if it is new."""
        ranks = {hit.id: hit.rank for hit in self.before}
        return [{"hit": hit, "stood": ranks.get(hit.id)} for hit in self.after]

    @property
    def lost(self) -> list[Ranked]:
        """The results that are no longer found."""
        after = {hit.id for hit in self.after}
        return [hit for hit in self.before if hit.id not in after]


@dataclass(frozen=True)
class Preview:
    """Memories to be removed and kept: counts of all, lists of the first 200. Each listed memory
    has `current_importance`, `rank`, `would_expire_at` and `why`. `standing` are the memories that
    would be sent with every message.
    """

    would_expire: Sequence[Memory]
    would_evict: Sequence[Memory]
    would_stay: Sequence[Memory]
    counts: Mapping[str, int]
    standing: Sequence[Memory]
    rankings: Sequence[Ranking]


class _Fates:
    """Memories at a time by a policy: expired, removed for capacity, and kept."""

    def __init__(
        self, rows: MemoryQuerySet, document: PolicyDocument, ends: Combinable, then: datetime
    ):
        self.document, self.ends, self.then = document, ends, then
        self.expiring = statements.expiring(rows, now=then, expires_at=ends)
        self.unexpired = statements.unexpired(rows, now=then, expires_at=ends)
        unexpired = self.unexpired.count()
        self.evicted = self._evicted()
        evicted = self.evicted.count()
        self.counts = {
            "would_expire": self.expiring.count(),
            "would_evict": evicted,
            "would_stay": unexpired - evicted,
        }

    def _evicted(self) -> MemoryQuerySet:
        """Return the memories that capacity would remove: of each user those above it."""
        evictable = statements.evictable(
            self.unexpired,
            now=self.then,
            grace_hours=self.document.grace_hours,
            decay=self.document.decay,
            tiers=self.document.ttl.tiers,
            learn=self.document.importance.learn,
        )
        excess = statements.excess_by_user(self.unexpired, self.document.capacity)
        first = (Reader.exactly(user_id).where() & Q(rank__lte=n) for user_id, n in excess.items())
        return evictable.filter(reduce(or_, first, Q(pk__in=[])))

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
    reader: Reader = SHARED,
    person: str | None = None,
    changes: Mapping[str, Any],
    queries: Sequence[str],
    now: datetime,
    as_of: datetime | None = None,
) -> Preview:
    """Return what a sweep at `as_of`, now at the earliest, would do to the reader's memories under
    the policy with these changes, what the questions would find, and this person's standing rules.
    Raises InvalidArguments."""
    policy = current_policy(space).document
    document = changed(policy, {name: part for name, part in changes.items() if name != "version"})
    rows = Memory.objects.in_space(space).readable_by(reader)
    with turn(space):
        questions = questions_of(space, reader, queries, now)
        with share_of(space):
            fates = _Fates(rows, document, _ends(policy, document), max(as_of or now, now))
            return Preview(
                would_expire=fates.expire(),
                would_evict=fates.evict(),
                would_stay=fates.stay(),
                counts=fates.counts,
                standing=_standing_later(space, person, fates),
                rankings=[_ranking(question, policy, fates) for question in questions],
            )


def _ranking(question: Question, policy: PolicyDocument, fates: _Fates) -> Ranking:
    return Ranking(
        question.text,
        ranked_now(question, policy),
        _ranked(_found_later(question, fates)),
    )


def _ends(policy: PolicyDocument, document: PolicyDocument) -> Combinable:
    """Return the expression for the end of lifetimes: stored, unless the change recomputes it."""
    if document.ttl.tiers == policy.ttl.tiers:
        return F("expires_at")
    return expiry_from(F("clock_started_at"), document.ttl.tiers)


def _standing_later(space: Space, person: str | None, fates: _Fates) -> Sequence[Memory]:
    """Return the standing rules under the changed policy, without removed memories; reads again
    without those that are gone until all stay."""
    gone: set[UUID] = set()
    while True:
        found = standing_rules(
            space, person=person, rules=fates.document, now=fates.then, without=gone
        )
        more = fates.gone([memory.pk for memory in found])
        if not more:
            return found
        gone |= more


def questions_of(
    space: Space, reader: Reader, queries: Sequence[str], now: datetime
) -> list[Question]:
    """Return the questions of this reader, embedded in one call. Raises EmbeddingError."""
    if not queries:
        return []
    vectors = embed_questions(space.embedder, queries, space=space)
    return [
        Question(space, text, vector, now, reader=reader)
        for text, vector in zip(queries, vectors, strict=True)
    ]


def ranked_now(question: Question, document: PolicyDocument) -> list[Ranked]:
    """Return what the question finds under this policy, as recall does."""
    return _ranked(_found(question, document, _limit(document)))


def _limit(document: PolicyDocument) -> int:
    return PROFILES[document.recall.profile].limit or document.recall.limit


def _found(question: Question, document: PolicyDocument, limit: int) -> Sequence[Memory]:
    shape = Shape(
        profile=PROFILES[document.recall.profile],
        decay=document.decay,
        learn=document.importance.learn,
        recall=document.recall,
        language=document.language,
        limit=limit,
    )
    return recalled(question, trusting(shape, question))


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
