"""Finds relevant memories, with one embedding call and one ranking statement, and explains each.

Recall only reads and never counts as use. A caller that sends results to a model calls
services.uses.mark_used.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import perf_counter
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory.embeddings.vectors import embed, question_vectors
from memory.errors import FieldError, InvalidArguments
from memory.formulas.ranking import PROFILES, SIGNALS, Profile, contributions, match_percent
from memory.models import Memory, Space
from memory.models.policies import Policy, current_policy
from memory.policy import PolicyDocument
from memory.recall.sql import JUST_MISSED, Question, Shape, recalled


@dataclass(frozen=True)
class Result:
    """A memory found, with all numbers behind its position.

    If explained, it also has its `rank` among all ranked memories, 1 the best, and `rank_without`:
    for each signal of the profile, its rank if that signal had no weight.
    """

    memory: Memory
    similarity: float
    score: float
    signals: dict[str, float]
    contributions: dict[str, float]
    rank: int | None = None
    rank_without: dict[str, int] = field(default_factory=dict)

    @property
    def match(self) -> str:
        """The match in the seed's words: "92% match" (seed 000)."""
        return f"{match_percent(self.similarity)}% match"


@dataclass(frozen=True)
class Recall:
    """An answer: the results, best first; if explained, also the just-missed memories."""

    question: Question
    shape: Shape
    policy: Policy
    took_ms: float
    results: Sequence[Result]
    missed: Sequence[Result]

    @property
    def query(self) -> str:
        """The question's text."""
        return self.question.text

    @property
    def profile(self) -> Profile:
        """The ranking profile of this recall."""
        return self.shape.profile

    @property
    def memory_ids(self) -> list[UUID]:
        """The ids of the results' memories."""
        return [result.memory.pk for result in self.results]


def profile_named(name: str) -> Profile:
    """Return the ranking profile of this name; raises InvalidArguments."""
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
    without: Collection[UUID] = (),
    explain: bool = False,
) -> Recall:
    """Return the active memories of the space that fit the query, ranked by a profile.

    The memories in `without` are excluded. The limit is the argument, else the profile's own, else
    the policy's. With `explain`, results also have their rank without each signal, and the
    just-missed memories are returned. Raises InvalidArguments for an unknown profile.
    """
    started = perf_counter()
    policy = current_policy(space)
    shape = replace(
        _shape(policy.document, profile_named(profile or policy.document.recall.profile), limit),
        memory_types=tuple(memory_types),
        tags=tuple(tags),
        explain=explain,
    )
    question = Question(space, query, _embedded(space, query), now, frozenset(without))
    return _answer(question, shape, policy, started)


def explained(found: Recall) -> Recall:
    """Repeat the recall with an explanation: same time, policy and vector.

    Only memories added or deleted in between make a difference.
    """
    started = perf_counter()
    return _answer(found.question, replace(found.shape, explain=True), found.policy, started)


def compare(
    *,
    space: Space,
    policy: Policy,
    queries: Sequence[str],
    profiles: Sequence[Profile],
    limit: int,
    now: datetime,
) -> Iterator[list[Recall]]:
    """Yield for each question the recalls of these profiles, at one time and by one policy.

    `limit` is the number of results of each, whatever the profiles and the policy say. All
    questions are embedded in one call, which is not part of the measured time; raises
    EmbeddingError.
    """
    shapes = [_shape(policy.document, profile, limit) for profile in profiles]
    vectors = question_vectors(space.embedder, queries)
    for text, vector in zip(queries, vectors, strict=True):
        question = Question(space, text, vector, now)
        yield [_answer(question, shape, policy, perf_counter()) for shape in shapes]


def _answer(question: Question, shape: Shape, policy: Policy, started: float) -> Recall:
    rows = recalled(question, replace(shape, limit=shape.limit + len(question.without)))
    found = _left_in([_result(memory, shape) for memory in rows], question.without)
    results = [one for one in found[: shape.limit] if one.score >= shape.min_score]
    missed = found[len(results) :][:JUST_MISSED]
    took_ms = (perf_counter() - started) * 1000
    return Recall(question, shape, policy, took_ms, results, missed)


def _left_in(found: list[Result], without: Collection[UUID]) -> list[Result]:
    """Return the results without the excluded ones, with ranks as if those did not exist."""
    out = [one for one in found if one.memory.pk in without]
    if not out:
        return found
    return [
        replace(
            one,
            rank=one.rank and one.rank - sum((o.rank or 0) < one.rank for o in out),
            rank_without={
                name: rank - sum(o.rank_without[name] < rank for o in out)
                for name, rank in one.rank_without.items()
            },
        )
        for one in found
        if one not in out
    ]


def _shape(rules: PolicyDocument, profile: Profile, limit: int | None) -> Shape:
    return Shape(
        profile=profile,
        decay=rules.decay,
        recall=rules.recall,
        language=rules.language,
        limit=limit or profile.limit or rules.recall.limit,
    )


def _embedded(space: Space, query: str) -> npt.NDArray[np.float32]:
    vector: npt.NDArray[np.float32] = embed(space.embedder, [query], kind="query")[0]
    return vector


def _result(memory: Memory, shape: Shape) -> Result:
    numbers = vars(memory)  # annotated by the statement
    signals = {name: numbers[f"signal_{name}"] for name in SIGNALS}
    parts = contributions(signals, shape.profile)
    ranks = {name: numbers[f"rank_without_{name}"] for name in parts} if shape.explain else {}
    return Result(
        memory,
        similarity=signals["semantic"],
        score=numbers["score"],
        signals=signals,
        contributions=parts,
        rank=numbers.get("rank"),
        rank_without=ranks,
    )
