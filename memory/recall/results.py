"""The results of recall, and functions that leave some out."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from uuid import UUID

from memory.formulas.ranking import match_percent
from memory.models import Memory
from memory.text.text_similarity import plain


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
    """Return the ids of memories that have the same text as an earlier result and were true until
    the same time.
    """
    known: set[object] = set()
    again: set[UUID] = set()
    for memory in memories:
        said = (plain(memory.content) or memory.content, memory.valid_to)
        if said in known:
            again.add(memory.pk)
        known.add(said)
    return again


def left_in(found: list[Result], without: Collection[UUID]) -> list[Result]:
    """Return the results except those in `without`, ranked as if these did not exist."""
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
