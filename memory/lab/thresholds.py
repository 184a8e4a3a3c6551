"""Precision and recall of the labelled questions at each minimum relevance."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from memory.recall.recall import Recall

THRESHOLDS: Final = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True)
class Point:
    """One minimum relevance: the share of sent memories that are labelled relevant, None if none is
    sent; the share of relevant memories that are sent; and the mean number sent for a question."""

    threshold: float
    precision: float | None
    recall: float
    sent: float
    is_in_effect: bool

    @property
    def place(self) -> tuple[str, str]:
        """The point in a square of 100: recall to the right, precision to the top."""
        return f"{100 * self.recall:.1f}", f"{100 - 100 * (self.precision or 0):.1f}"


def curve(answers: Sequence[tuple[Collection[UUID], Recall]]) -> list[Point]:
    """Return the points of the questions' answers, each with the memories it should find.

    The policy's limit and its own minimum relevance apply. A memory without a label counts as not
    relevant.
    """
    if not answers:
        return []
    rules = answers[0][1].policy.document.recall
    thresholds = sorted({*THRESHOLDS, rules.min_relevance})
    return [
        _point(answers, least, rules.limit, is_in_effect=least == rules.min_relevance)
        for least in thresholds
    ]


def _point(
    answers: Sequence[tuple[Collection[UUID], Recall]],
    least: float,
    limit: int,
    *,
    is_in_effect: bool,
) -> Point:
    sent = relevant = 0
    for wanted, found in answers:
        passing = [one for one in found.results[:limit] if one.relevance >= least]
        sent += len(passing)
        relevant += sum(one.memory.pk in wanted for one in passing)
    return Point(
        least,
        relevant / sent if sent else None,
        relevant / sum(len(wanted) for wanted, _found in answers),
        sent / len(answers),
        is_in_effect,
    )
