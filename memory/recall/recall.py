"""Recall of relevant memories: one embedding call, one ranking statement, and an explanation.

Recall only reads; it never counts as use. The caller that sends the memories to a model calls
store.uses.mark_used.
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
    """A memory that was found, with every number behind its rank.

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
        """The match in the format of seed 000: "92% match"."""
        return f"{match_percent(self.similarity)}% match"


@dataclass(frozen=True)
class Recall:
    """The answer to a question: the results, best first; if explained, also the memories just
    missed."""

    question: Question
    shape: Shape
    policy: Policy
    took_ms: float
    results: Sequence[Result]
    missed: Sequence[Result]

    @property
    def query(self) -> str:
        """The text of the question."""
        return self.question.text

    @property
    def profile(self) -> Profile:
        """The ranking profile."""
        return self.shape.profile

    @property
    def memory_ids(self) -> list[UUID]:
        """The ids of the results, best first."""
        return [result.memory.pk for result in self.results]


def profile_named(name: str) -> Profile:
    """Return the ranking profile with this name; raises InvalidArguments."""
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
    """Recall the live memories of the space that fit the query, by a profile, except those in
    `without`.

    The limit is the given one, otherwise the profile's, otherwise the policy's. With `explain` each
    memory has its rank without each signal, and the memories just missed are returned too. Raises
    InvalidArguments for an unknown profile.
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
    """Answer the same question again with explanations, as of the same moment and policy, and with
    the same vector. Only memories saved or deleted since then can differ."""
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
    """Return, for each question, the answers of these profiles, as of one moment and policy.

    `limit` is the number of results of each answer, whatever the profiles and the policy say. All
    questions are embedded in one call, which is not part of `took_ms`; raises EmbeddingError.
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
    """Return the results except those in `without`, ranked as if the excluded ones did not
    exist."""
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
