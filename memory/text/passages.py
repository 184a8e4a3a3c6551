"""What is embedded and indexed of a memory: its words, who spoke, when, what was said around it.

Written once, when a memory is, so it costs nothing when a question is asked. In a conversation the
answer is often a turn that does not repeat the question's words ("Yes, last summer!"): the words of
the turns around it find it. They count less than its own, so each part has a label in the index:

    A   the memory itself, and its date if it has a speaker
    B   the name of who spoke
    C   the turns before and after it
    D   the turns two and three away

So one memory's words stand in the index of up to six others. What keeps them in step when a turn
comes, changes or is purged is store.conversations. Only words of its own are embedded.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

from memory.drafts import MemoryDraft
from memory.models import Memory
from memory.text import lexemes

NEAR, FAR = (-1, 1), (-3, -2, 2, 3)
REACH = 3
"""How many turns away a memory's words are still indexed."""

# Of each turn around; a conversation has short ones, and a book pasted into it says little of them.
CONTEXT_CHARACTERS = 1000


class IndexTexts(NamedTuple):
    """What goes into the index under each label, prepared by `lexemes`."""

    a: str
    b: str
    c: str
    d: str


@dataclass(frozen=True)
class Passage:
    """A memory's own text: what it says, who said it, when."""

    content: str
    speaker: str
    said_at: datetime

    @property
    def date(self) -> str:
        return f"{self.said_at.day} {self.said_at:%B %Y}"

    @property
    def embedded(self) -> str:
        """Who spoke and when help to find it again."""
        return f"{self.speaker} ({self.date}): {self.content}" if self.speaker else self.content

    @cached_property
    def _words(self) -> str:
        return lexemes.prepare(self.content)

    @cached_property
    def _overheard(self) -> str:
        """What the turns around it index of it."""
        if len(self.content) <= CONTEXT_CHARACTERS:
            return self._words
        return lexemes.prepare(self.content[:CONTEXT_CHARACTERS])

    def index_texts(
        self, near: Sequence["Passage"] = (), far: Sequence["Passage"] = ()
    ) -> IndexTexts:
        """What is indexed of it, given the turns around it."""
        return IndexTexts(
            a=f"({self.date}): {self._words}" if self.speaker else self._words,
            b=lexemes.prepare(self.speaker),
            c="\n".join(passage._overheard for passage in near),
            d="\n".join(passage._overheard for passage in far),
        )


def passages(drafts: Sequence[MemoryDraft], now: datetime) -> list[Passage]:
    """The drafts' own texts."""
    return [Passage(draft.content, draft.source.speaker, draft.starts_at(now)) for draft in drafts]


def passage_of(memory: Memory) -> Passage:
    """A memory's own text."""
    return Passage(memory.content, memory.source_speaker, memory.created_at)


def texts_around(
    turns: Sequence[Memory], marked: Collection[UUID], *, without: Collection[UUID] = ()
) -> Mapping[UUID, IndexTexts]:
    """What must be indexed anew where the marked turns of a conversation are new, changed or gone:
    of these and of all within reach of them, as if the turns in `without` had never been.

    The turns are in order, with twice the reach on each side of the marked ones.
    """
    places = [place for place, turn in enumerate(turns) if turn.pk in marked]
    touched = {
        turn.pk for place in places for turn in turns[max(0, place - REACH) : place + REACH + 1]
    }
    staying = [turn for turn in turns if turn.pk not in without]
    said = [passage_of(turn) for turn in staying]

    def at(place: int, offsets: Sequence[int]) -> list[Passage]:
        return [said[place + by] for by in offsets if 0 <= place + by < len(said)]

    return {
        turn.pk: said[place].index_texts(at(place, NEAR), at(place, FAR))
        for place, turn in enumerate(staying)
        if turn.pk in touched
    }
