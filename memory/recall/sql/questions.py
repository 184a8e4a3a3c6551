"""Questions to recall, and the rules for answering them."""

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
"""Number of memories below the last result in an explanation."""


@dataclass(frozen=True)
class Question:
    """A question to a space with its vector, and the memories to exclude from the answer."""

    space: Space
    text: str
    vector: npt.NDArray[np.float32]
    now: datetime
    without: frozenset[UUID] = frozenset()


@dataclass(frozen=True)
class Shape:
    """Everything that the text of the statement depends on. With `explain` each row also has its
    rank without each signal, and the memories just missed are returned too."""

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
        """The minimum score of a result; a profile that sorts by date has no score."""
        return self.recall.min_score if self.profile.order == "score" else 0.0

    @property
    def is_filtered(self) -> bool:
        """True if the question is limited to types or tags."""
        return bool(self.memory_types or self.tags)
