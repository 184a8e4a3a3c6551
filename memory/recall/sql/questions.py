"""Questions to recall, and the rules for answering them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.db.models import Q

from accounts.models import Space
from foundation.readers import SHARED, Reader
from memory.formulas.ranking import Profile
from memory.policy import DecayPolicy, RecallPolicy
from memory.recall.remarks import toward_memories
from memory.recall.times import PAST_KINDS, AskedTime, Kind
from memory.text.whose import Others, others_than_asked

JUST_MISSED = 5
"""Number of memories below the last result in an explanation."""


@dataclass(frozen=True)
class Question:
    """A question to a space: its vector, the reader who asks, the memories to exclude, the minimum
    relevance of a result, the agent and session to search in, and the time it is about.
    """

    space: Space
    text: str
    vector: npt.NDArray[np.float32]
    now: datetime
    without: frozenset[UUID] = frozenset()
    min_relevance: float = 0.0
    reader: Reader = SHARED
    agent_id: str | None = None
    session_id: str | None = None
    time: AskedTime = AskedTime()

    @property
    def compared(self) -> npt.NDArray[np.float32]:
        """The vector to compare with memories; a remark's vector is turned toward them."""
        return toward_memories(self.space.embedder, self.text, self.vector)


@dataclass(frozen=True)
class Shape:
    """Everything that the text of the statement depends on. With `explain` each row also has its
    rank without each signal, and the memories just missed are returned too. At least `looked_at`
    memories are returned, if there are so many. With `learn` the signal
    of importance includes the adjustment. With `others`, memories about these people lose score.
    `where` is a further condition on the memories, which may use their current importance.
    With `each_once` a text that several memories have is found once; if copies then fill the best
    rows, the question is asked again, `widened`.
    """

    profile: Profile
    decay: DecayPolicy
    recall: RecallPolicy
    language: str
    limit: int
    looked_at: int = 0
    learn: bool = False
    memory_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    explain: bool = False
    reader: Reader = SHARED
    by_agent: bool = False
    by_session: bool = False
    time: Kind = "now"
    others: Others = ""
    where: Q = Q()
    each_once: bool = True
    widened: bool = False

    def asked_by(self, question: Question) -> Shape:
        """Return the shape for this question's time, reader, agent and session. It leaves out their
        names and moments, which are parameters, so that all users share one statement.
        """
        return replace(
            self,
            reader=question.reader.nameless,
            by_agent=question.agent_id is not None,
            by_session=question.session_id is not None,
            time=question.time.kind,
            # The seeds' formulas stay as they are.
            others=others_than_asked(question.text) if self.profile.lexical else "",
        )

    @property
    def importance(self) -> str:
        """The column with the signal of importance."""
        return "effective_importance" if self.learn else "current_importance"

    @property
    def rows(self) -> int:
        """The maximum number of rows returned."""
        return max(self.limit + JUST_MISSED * self.explain, self.looked_at)

    @property
    def window(self) -> int | None:
        """The number of best rows in which copies are looked for; None means all. Reading the texts
        of all rows would take as long as ranking them."""
        if not self.each_once:
            return self.rows
        return None if self.widened else 2 * self.rows + 20

    @property
    def min_score(self) -> float:
        """The minimum score of a result; a profile that sorts by date has no score."""
        return self.recall.min_score if self.profile.order == "score" else 0.0

    @property
    def is_past(self) -> bool:
        """True if superseded memories are preferred."""
        return self.time in PAST_KINDS

    @property
    def is_filtered(self) -> bool:
        """True if the question is limited to a part of what the reader sees now."""
        named = self.by_agent or self.by_session or self.memory_types or self.tags
        return bool(named or self.where or self.time == "as_of")
