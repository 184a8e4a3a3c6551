"""The results of recall."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from foundation.texts.forms import comparing_form
from memory.formulas.ranking import match_percent
from memory.models import Memory


@dataclass(frozen=True)
class Result:
    """A memory that was found, with every number behind its rank, and its `relevance`: the
    probability that it helps to answer.

    If explained, it also has its `rank` among all ranked memories, 1 the best, and `rank_without`:
    for each signal of the profile, its rank if that signal had no weight.
    """

    memory: Memory
    similarity: float
    relevance: float
    score: float
    signals: dict[str, float]
    contributions: dict[str, float]
    rank: int | None = None
    rank_without: dict[str, int] = field(default_factory=dict)

    @property
    def match(self) -> str:
        """The match in the format of seed 000: "92% match"."""
        return f"{match_percent(self.similarity)}% match"


def repeated(memories: Iterable[Memory]) -> set[UUID]:
    """Return the ids of memories that have the same text as an earlier one, belong to the same user
    or to all, and were true until the same time.
    """
    owners: dict[object, set[str | None]] = {}
    again: set[UUID] = set()
    for memory in memories:
        known = owners.setdefault((comparing_form(memory.content), memory.valid_to), set())
        if known and (None in {memory.user_id, *known} or memory.user_id in known):
            again.add(memory.pk)
        known.add(memory.user_id)
    return again
