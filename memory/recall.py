"""Finding what is relevant now: one embedding call, one ranking statement, and why each was found.

Recall reads; it never counts as use. Whoever puts what was found before a model calls
services.memories.mark_used.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from uuid import UUID

from memory.embeddings import get_embedder
from memory.errors import FieldError, InvalidArguments
from memory.formulas.ranking import PROFILES, SIGNALS, Profile, contributions, match_percent
from memory.models import Memory, Space
from memory.querysets.policies import Policy, current_policy
from memory.querysets.recall import JUST_MISSED, Question, Shape, recalled


@dataclass(frozen=True)
class Result:
    """A memory that was found, with every number that put it in its place.

    `rank` is its place among all that were ranked, 1 the best. `rank_without` tells, for each
    signal the profile uses, its place if that signal weighed nothing; empty unless asked for.
    """

    memory: Memory
    similarity: float
    score: float
    signals: dict[str, float]
    contributions: dict[str, float]
    rank: int
    rank_without: dict[str, int] = field(default_factory=dict)

    @property
    def match(self) -> str:
        """The seed's words: "92% match" (seed 000)."""
        return f"{match_percent(self.similarity)}% match"


@dataclass(frozen=True)
class Recall:
    """An answer: the results, best first; in an explained one also what just missed."""

    query: str
    profile: Profile
    policy: Policy
    took_ms: float
    results: Sequence[Result]
    missed: Sequence[Result] = ()

    @property
    def memory_ids(self) -> list[UUID]:
        return [result.memory.pk for result in self.results]


def profile_named(name: str) -> Profile:
    """The ranking profile of this name; raises InvalidArguments."""
    try:
        return PROFILES[name]
    except KeyError:
        known = ", ".join(PROFILES)
        raise InvalidArguments(
            FieldError("profile", f"unknown profile {name!r}; known: {known}")
        ) from None


def recall(
    *,
    space: Space,
    query: str,
    now: datetime,
    profile: str | None = None,
    limit: int | None = None,
    memory_types: Sequence[str] = (),
    tags: Sequence[str] = (),
    explain: bool = False,
) -> Recall:
    """The live memories of the space that fit the query, by a profile.

    The limit is what is asked for, else the profile's own, else the policy's. With `explain` also
    where each would rank without each signal, and the next few that just missed.
    Raises InvalidArguments for an unknown profile.
    """
    started = perf_counter()
    policy = current_policy(space)
    chosen = profile_named(profile or policy.document.recall.profile)
    embedder = get_embedder(
        space.embedder.provider, space.embedder.model, space.embedder.dimensions
    )
    vector = embedder.embed([query], kind="query")[0]
    shape = Shape(
        profile=chosen,
        decay=policy.document.decay,
        recall=policy.document.recall,
        language=policy.document.language,
        limit=limit or chosen.limit or policy.document.recall.limit,
        memory_types=tuple(memory_types),
        tags=tuple(tags),
        explain=explain,
    )
    found = [
        _result(memory, place, shape)
        for place, memory in enumerate(recalled(Question(space, query, vector, now), shape), 1)
    ]
    results = [one for one in found[: shape.limit] if one.score >= shape.min_score]
    took_ms = (perf_counter() - started) * 1000
    return Recall(
        query, chosen, policy, took_ms, results, missed=found[len(results) :][:JUST_MISSED]
    )


def _result(memory: Memory, place: int, shape: Shape) -> Result:
    numbers = vars(memory)  # annotated by the statement
    signals = {name: numbers[f"signal_{name}"] for name in SIGNALS}
    parts = contributions(signals, shape.profile)
    ranks = {name: numbers[f"rank_without_{name}"] for name in parts} if shape.explain else {}
    rank = numbers["rank"] if shape.explain else place
    return Result(memory, signals["semantic"], numbers["score"], signals, parts, rank, ranks)
