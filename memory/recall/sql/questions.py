"""What recall is asked, and what the text of its statement depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt
from pgvector import HalfVector

from memory.formulas.ranking import Profile
from memory.models import Space
from memory.policy import DecayPolicy, RecallPolicy
from memory.text import lexemes


@dataclass(frozen=True)
class Question:
    """What is asked, in the three forms recall needs, and the memories that are no answer to it."""

    space: Space
    text: str
    vector: npt.NDArray[np.float32]
    now: datetime
    without: frozenset[UUID] = frozenset()


@dataclass(frozen=True)
class Shape:
    """Everything that the text of the statement depends on. With `explain` each row also has its
    rank without each signal, and those that just missed come too."""

    profile: Profile
    decay: DecayPolicy
    recall: RecallPolicy
    language: str
    limit: int
    memory_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    explain: bool = False

    @property
    def rows(self) -> int:
        """How many rows come back at most."""
        return self.limit + JUST_MISSED if self.explain else self.limit

    @property
    def min_score(self) -> float:
        """Below this nothing is a result; a profile that sorts by date has no score."""
        return self.recall.min_score if self.profile.order == "score" else 0.0


JUST_MISSED = 5
"""How many that were near the cut an explanation shows."""

# What stands in a statement for the values of a question. No space or embedder has these numbers,
# and no policy holds these texts or this moment.
SPACE, EMBEDDER, SIZE = -1, -2, -3
TEXT, VECTOR = "\x00text", "\x00vector"
NOW = datetime(1, 1, 1, tzinfo=UTC)
NAMES: Mapping[Any, str] = {SPACE: "{space}", EMBEDDER: "{embedder}"}
"""Where a plan is to be made for this very space, these two are written into the text."""


def is_mark(parameter: object) -> bool:
    """Whether this stands for a value of the question. (1, True and 1.0 are equal to Python.)"""
    return type(parameter) in {int, str, datetime} and parameter in _MARKS


_MARKS = (SPACE, EMBEDDER, SIZE, TEXT, VECTOR, NOW)


def values(question: Question, size: int) -> Mapping[Any, Any]:
    """The question's value for each mark that is a parameter; `size`: how many vectors the space
    has, about."""
    return {
        SPACE: question.space.pk,
        EMBEDDER: question.space.embedder_id,
        SIZE: size,
        TEXT: lexemes.prepare_question(question.text),
        VECTOR: HalfVector(question.vector),
        NOW: question.now,
    }
