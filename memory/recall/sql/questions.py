"""The inputs of recall: a question, and the options that determine the statement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory.formulas.ranking import Profile
from memory.models import Space
from memory.policy import DecayPolicy, RecallPolicy

JUST_MISSED = 5
"""How many memories below the last result an explanation shows."""


@dataclass(frozen=True)
class Question:
    """A question to a space with its vector, and the memories to exclude."""

    space: Space
    text: str
    vector: npt.NDArray[np.float32]
    now: datetime
    without: frozenset[UUID] = frozenset()


@dataclass(frozen=True)
class Shape:
    """All options that determine the statement's text.

    With `explain`, each row has its rank without each signal, and just-missed rows are returned
    too.
    """

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
        """The maximum number of rows returned."""
        return self.limit + JUST_MISSED if self.explain else self.limit

    @property
    def min_score(self) -> float:
        """The minimum score of a result; 0 for a profile sorted by date, which has no score."""
        return self.recall.min_score if self.profile.order == "score" else 0.0

    @property
    def is_filtered(self) -> bool:
        """True if memory types or tags restrict the results."""
        return bool(self.memory_types or self.tags)
