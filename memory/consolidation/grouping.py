"""Finds memories that belong together: wordings of one fact, and facts that others made outdated.

The oldest memory of a group is its root. Only memories of the same user are compared: the shared
ones with the shared ones.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.models import Space
from foundation.readers import Reader
from memory.consolidation.candidates import candidates
from memory.consolidation.wording import have_one_subject, same_fact
from memory.models import Memory, ProposalKind
from memory.models.memories import MemoryQuerySet
from memory.recall.similar import Neighbour
from memory.reconciliation.rules import Verdict, has_room, patched, replaces, superseding
from memory.text.statements import is_one_statement
from memory.text.text_similarity import meaning, weight

CONTRADICTED = 0.92
"""The confidence that a newer statement made an older one outdated
(memory.reconciliation.claims).
"""
UNDATED = 0.5
"""The same if both were saved at the same moment, so that it is unknown which is newer."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a summary with the ids of the memories that it comes from."""

    text: str
    sources: tuple[UUID, ...]


@dataclass(frozen=True)
class Group:
    """Memories that belong together, oldest first, and the text that would replace them. Without a
    text, the last memory stays and replaces the others."""

    kind: ProposalKind
    sources: Sequence[Memory]
    content: str | None
    confidence: float
    sentences: Sequence[Sentence] = ()

    @property
    def removed(self) -> set[UUID]:
        """The memories that would move to the bin."""
        gone = self.sources[:-1] if self.content is None else self.sources
        return {memory.pk for memory in gone}


def consolidatable(space: Space, reader: Reader) -> MemoryQuerySet:
    """Return the live memories that may be consolidated for this reader: their own, or the shared
    ones, or all for everybody.

    Pinned and core memories, and memories with a program's own id, are never consolidated.
    """
    owner = reader if reader.everyone else Reader.exactly(reader.user_id)
    rows = Memory.objects.in_space(space).live().readable_by(owner)
    free: MemoryQuerySet = rows.filter(pinned=False, core=False, external_id=None).defer("search")
    return free


def is_free(memory: Memory) -> bool:
    """Return true if the memory may be consolidated."""
    return not (memory.pinned or memory.core or memory.external_id)


def group_of(space: Space, root: Memory, used: Collection[UUID]) -> Group | None:
    """Return what belongs to this memory among the newer ones, or None. `used` are memories that
    another group removes."""
    newer = [
        one
        for one in candidates(space, root)
        if is_free(one.memory) and _place(one.memory) > _place(root)
    ]
    same, confidence = _wordings(root, [one for one in newer if one.memory.pk not in used])
    if ended := _ended(root, newer, same, used):
        return ended
    if not same:
        return None
    sources = _in_order([root, *same])
    return Group(ProposalKind.MERGE, sources, best_wording(sources), confidence)


def best_wording(memories: Sequence[Memory]) -> str:
    """Return the content that says the most; on a tie the longest, which names its subject."""
    best = max(
        memories, key=lambda one: (weight(meaning(one.content)), len(one.content), _place(one))
    )
    return best.content


def _wordings(root: Memory, newer: Sequence[Neighbour]) -> tuple[list[Memory], float]:
    """Return the newer wordings of the root's fact, each of which says the same as all others, and
    the confidence of the least sure pair."""
    found: list[Memory] = []
    least = 1.0
    for one in newer:
        sure = [same_fact(known, one) for known in (root, *found)]
        if None not in sure:
            found.append(one.memory)
            least = min(least, *(each for each in sure if each is not None))
    return found, least


def _ended(
    root: Memory, newer: Sequence[Neighbour], same: Sequence[Memory], used: Collection[UUID]
) -> Group | None:
    """Return the group of the root's fact and the newest statement that ended it, if the fact was
    not stated again after that."""
    if not is_one_statement(root.content):
        return None
    newer = [
        one
        for one in newer
        if is_one_statement(one.memory.content)
        and have_one_subject(root.content, one.memory.content)
    ]
    others = [one for one in newer if one.memory not in same]
    against = [one for one in others if replaces(one.memory.content, _seen_from(one, root))]
    if not against:
        return _ended_at_once(root, [one for one in newer if one.memory.pk not in used])
    last = max(against, key=lambda one: _place(one.memory)).memory
    if any(_place(again) > _place(last) for again in same):
        return None
    sure = UNDATED if last.created_at == root.created_at else CONTRADICTED
    if superseding(root, last.content, "").verdict is not Verdict.REVISE:
        sources = [*_in_order([root, *same]), last]
        return Group(ProposalKind.CONTRADICTION, sources, None, sure)
    if last.pk in used or not has_room(root.content, last.content):
        return None
    content = patched(root.content, last.content, last.said_at)
    return Group(ProposalKind.CONTRADICTION, [root, last], content, sure)


def _ended_at_once(root: Memory, newer: Sequence[Neighbour]) -> Group | None:
    """Return the group of a memory that says the end of another one saved at the same moment."""
    for one in newer:
        together = one.memory.created_at == root.created_at
        if together and replaces(root.content, one):
            if superseding(one.memory, root.content, "").verdict is Verdict.REVISE:
                return None
            return Group(ProposalKind.CONTRADICTION, [one.memory, root], None, UNDATED)
    return None


def _seen_from(one: Neighbour, root: Memory) -> Neighbour:
    """Return the root as the neighbour of its neighbour."""
    return Neighbour(root, one.similarity)


def _place(memory: Memory) -> tuple[datetime, UUID]:
    return memory.created_at, memory.pk


def _in_order(memories: Sequence[Memory]) -> list[Memory]:
    return sorted(memories, key=_place)
