"""Texts for embedding and indexing a memory: its words, speaker, date and adjacent turns.

Computed once, when a memory is written, so a question costs nothing more. In a conversation the
answer is often a turn that does not repeat the question's words ("Yes, last summer!"): the words of
the turns around it help to find it. These count less than the turn's own words, so each part has a
label in the index:

    A   the memory itself, and its date if it has a speaker
    B   the speaker's name
    C   the turns before and after it
    D   the turns two and three away

So one memory's words are in the index of up to six others. store.conversations updates these when a
turn is added, changed or purged. Only the memory's own words are embedded.
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
from memory.text.event_dates import day_words

NEAR, FAR = (-1, 1), (-3, -2, 2, 3)
REACH = 3
"""Maximum distance, in turns, at which a memory's words are indexed."""

# Characters of each adjacent turn. A long answer says little about the turns around it, but has
# many words.
CONTEXT_CHARACTERS = 300


class IndexTexts(NamedTuple):
    """The texts to index under each label, prepared by `lexemes`."""

    a: str
    b: str
    c: str
    d: str


@dataclass(frozen=True)
class Passage:
    """A memory's own text, speaker and date, which is the speaker's."""

    content: str
    speaker: str
    said_at: datetime

    @property
    def date(self) -> str:
        """The date as day, English month name and year."""
        return day_words(self.said_at)

    @property
    def embedded(self) -> str:
        """The text to embed; the speaker and the date help to find it."""
        return f"{self.speaker} ({self.date}): {self.content}" if self.speaker else self.content

    @cached_property
    def _words(self) -> str:
        return lexemes.indexed(self.content)

    @cached_property
    def _overheard(self) -> str:
        """The words indexed with adjacent turns."""
        if len(self.content) <= CONTEXT_CHARACTERS:
            return self._words
        return lexemes.indexed(self.content[:CONTEXT_CHARACTERS])

    def index_texts(
        self, near: Sequence["Passage"] = (), far: Sequence["Passage"] = ()
    ) -> IndexTexts:
        """Return the texts to index, given the adjacent turns."""
        return IndexTexts(
            a=f"({self.date}): {self._words}" if self.speaker else self._words,
            b=lexemes.indexed(self.speaker),
            c="\n".join(passage._overheard for passage in near),
            d="\n".join(passage._overheard for passage in far),
        )


def passages(drafts: Sequence[MemoryDraft], now: datetime) -> list[Passage]:
    """Return the drafts' passages."""
    return [Passage(draft.content, draft.source.speaker, draft.starts_at(now)) for draft in drafts]


def passage_of(memory: Memory) -> Passage:
    """Return a memory's passage."""
    return Passage(memory.content, memory.source_speaker, memory.said_at)


def texts_around(
    turns: Sequence[Memory], marked: Collection[UUID], *, without: Collection[UUID] = ()
) -> Mapping[UUID, IndexTexts]:
    """Return the texts to index again after the marked turns of a conversation were added, changed
    or deleted: theirs and those of all turns within reach, without the turns in `without`.

    The turns are in order, with twice the reach on each side of the marked ones.
    """
    places = [place for place, turn in enumerate(turns) if turn.pk in marked]
    touched = {
        turn.pk for place in places for turn in turns[max(0, place - REACH) : place + REACH + 1]
    }
    staying = [turn for turn in turns if turn.pk not in without]
    said = [passage_of(turn) for turn in staying]

    def at(place: int, offsets: Sequence[int]) -> list[Passage]:
        """Return the passages at these offsets from a position."""
        return [said[place + by] for by in offsets if 0 <= place + by < len(said)]

    return {
        turn.pk: said[place].index_texts(at(place, NEAR), at(place, FAR))
        for place, turn in enumerate(staying)
        if turn.pk in touched
    }
