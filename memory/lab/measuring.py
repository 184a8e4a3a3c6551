"""Measurement of rankings by the memories that users marked as relevant, through recall itself.

Only reads, and counts no use. The figures use the formulas of benchmarks/recall_quality.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import NamedTuple
from uuid import UUID

from accounts.models import Space
from foundation.readers import EVERYONE, Reader
from memory.formulas.ranking import Profile
from memory.formulas.retrieval import first_place, recall_at, reciprocal_rank
from memory.models import RelevanceMark
from memory.models.policies import Policy
from memory.recall.recall import Recall, compare

DEPTH = 10
MAX_QUESTIONS = 50
PATIENCE, LONG_PATIENCE = 1.0, 10.0
"""Time limits in seconds after which no further question is measured: while a user tries weights,
and on demand.
"""


@dataclass(frozen=True)
class Figures:
    """One profile's means over all measured questions, each in 0..1."""

    profile: Profile
    recall_at_5: float
    recall_at_10: float
    mrr: float


@dataclass(frozen=True)
class MarkedQuestion:
    """A question, the number of memories it should find, and for each profile the rank of the first
    one found; None beyond the tenth.
    """

    query: str
    wanted: int
    places: Sequence[int | None]


@dataclass(frozen=True)
class Measured:
    """Figures over `questions`: all marked questions, or with `is_part` only the latest of them."""

    figures: Sequence[Figures]
    questions: Sequence[MarkedQuestion]
    is_part: bool


def measure(
    *,
    space: Space,
    policy: Policy,
    profiles: Sequence[Profile],
    now: datetime,
    reader: Reader = EVERYONE,
    patience: float = PATIENCE,
) -> Measured:
    """Rank the latest marked questions within `patience` seconds. Raises EmbeddingError."""
    until = perf_counter() + patience
    marked = RelevanceMark.objects.in_space(space).to_be_found().by_question(MAX_QUESTIONS + 1)
    queries = [query for query, _wanted in marked[:MAX_QUESTIONS]]
    found = compare(
        space=space, policy=policy, queries=queries, profiles=profiles, limit=DEPTH,
        now=now, reader=reader,
    )  # fmt: skip
    answers: list[_Answer] = []
    for (query, wanted), recalls in zip(marked, found, strict=False):
        answers.append(_Answer(query, wanted, recalls))
        if perf_counter() > until:
            break
    return Measured(
        figures=[_figures(profile, n, answers) for n, profile in enumerate(profiles) if answers],
        questions=[_asked(answer) for answer in answers],
        is_part=len(answers) < len(marked),
    )


class _Answer(NamedTuple):
    """A question, the memories it should find, and each profile's results."""

    query: str
    wanted: list[UUID]
    recalls: list[Recall]


def _asked(answer: _Answer) -> MarkedQuestion:
    places = [first_place(answer.wanted, found.memory_ids) for found in answer.recalls]
    return MarkedQuestion(answer.query, len(answer.wanted), places)


def _figures(profile: Profile, n: int, answers: Sequence[_Answer]) -> Figures:
    """Return the means of profile number `n`."""
    pairs = [(answer.wanted, answer.recalls[n].memory_ids) for answer in answers]

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    return Figures(
        profile,
        recall_at_5=mean([recall_at(5, wanted, ranked) for wanted, ranked in pairs]),
        recall_at_10=mean([recall_at(10, wanted, ranked) for wanted, ranked in pairs]),
        mrr=mean([reciprocal_rank(wanted, ranked, depth=DEPTH) for wanted, ranked in pairs]),
    )
