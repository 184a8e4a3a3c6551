"""Finding what is relevant now: one embedding call, one SQL statement, an explanation for each.

Recall reads; it never counts as use. Whoever puts what was found before a model calls
services.memories.mark_used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from uuid import UUID

from memory.embeddings import get_embedder
from memory.errors import FieldError, InvalidArguments
from memory.formulas.ranking import PROFILES, SIGNALS, Profile, match_percent
from memory.models import Memory, Space
from memory.querysets.policies import Policy, current_policy
from memory.querysets.recall import Question, Shape, recalled


@dataclass(frozen=True)
class Result:
    """A memory that was found, with every number that put it in its place."""

    memory: Memory
    similarity: float
    score: float
    signals: dict[str, float]
    contributions: dict[str, float]

    @property
    def match(self) -> str:
        """The seed's words: "92% match" (seed 000)."""
        return f"{match_percent(self.similarity)}% match"


@dataclass(frozen=True)
class Recall:
    """An answer: the results, best first."""

    query: str
    profile: Profile
    policy: Policy
    took_ms: float
    results: Sequence[Result]

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
) -> Recall:
    """The live memories of the space that fit the query, by a profile.

    The limit is what is asked for, else the profile's own, else the policy's.
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
    )
    found = recalled(Question(space, query, vector, now), shape)
    results = [_result(memory, chosen) for memory in found]
    took_ms = (perf_counter() - started) * 1000
    return Recall(query, chosen, policy, took_ms, results)


def _result(memory: Memory, profile: Profile) -> Result:
    signals = {name: getattr(memory, f"signal_{name}") for name in SIGNALS}
    contributions = {name: getattr(memory, f"contribution_{name}") for name in profile.weights}
    return Result(memory, signals["semantic"], memory.score, signals, contributions)  # type: ignore[attr-defined]  # annotated by the statement
