"""What is embedded and indexed of a memory: its words, who spoke, when, what was said around it.

Written once, when a memory is, so it costs nothing when a question is asked. In a conversation the
answer is often a turn that does not repeat the question's words ("Yes, last summer!"): the words of
the turns around it find it. They count less than its own, so each part has a label in the index:

    A   the memory itself, and its date if it has a speaker
    B   the name of who spoke
    C   the turns before and after it
    D   the turns two and three away
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.postgres.search import SearchVector
from django.db.models import F, Func, Value
from django.db.models.expressions import Combinable

from memory import lexemes
from memory.drafts import MemoryDraft
from memory.models import Memory

NEAR, FAR = (-1, 1), (-3, -2, 2, 3)
# Of each turn around; a conversation has short ones, and a book pasted into it says little of them.
CONTEXT_CHARACTERS = 1000


@dataclass(frozen=True)
class Passage:
    """A memory's text as it stood in its conversation."""

    content: str
    speaker: str
    said_at: datetime
    near: Sequence[str] = ()
    far: Sequence[str] = ()

    @property
    def date(self) -> str:
        return f"{self.said_at.day} {self.said_at:%B %Y}"

    @property
    def embedded(self) -> str:
        """Who spoke and when help to find it again."""
        return f"{self.speaker} ({self.date}): {self.content}" if self.speaker else self.content

    def indexed(self, language: str) -> Combinable:
        """The tsvector as an SQL expression."""
        dated = f"({self.date}): {self.content}" if self.speaker else self.content
        parts = {"A": dated, "B": self.speaker, "C": "\n".join(self.near), "D": "\n".join(self.far)}
        vectors: list[Combinable] = [
            _vector(text, label, language) for label, text in parts.items() if text
        ]
        return _joined(vectors)


def passages(drafts: Sequence[MemoryDraft], now: datetime) -> list[Passage]:
    """The drafts as passages; those of one conversation are neighbours in the order given."""
    turns: dict[str, list[int]] = defaultdict(list)
    around: dict[int, tuple[list[int], int]] = {}
    for index, draft in enumerate(drafts):
        if draft.source.conversation_id:
            conversation = turns[draft.source.conversation_id]
            around[index] = (conversation, len(conversation))
            conversation.append(index)

    def said(index: int, offsets: Sequence[int]) -> list[str]:
        conversation, place = around.get(index, ([], 0))
        places = (place + offset for offset in offsets)
        return [
            drafts[conversation[other]].content[:CONTEXT_CHARACTERS]
            for other in places
            if 0 <= other < len(conversation)
        ]

    return [
        Passage(
            draft.content,
            draft.source.speaker,
            draft.starts_at(now),
            near=said(index, NEAR),
            far=said(index, FAR),
        )
        for index, draft in enumerate(drafts)
    ]


def passage_of(memory: Memory) -> Passage:
    """A stored memory by itself, for when its text or language changes."""
    return Passage(memory.content, memory.source_speaker, memory.created_at)


def reindexed(memory: Memory, language: str) -> Combinable:
    """The tsvector of a stored memory's new text; what was said around it stays."""
    around = Func(F("search"), Value("{c,d}"), template='ts_filter(%(expressions)s::"char"[])')
    return _joined([passage_of(memory).indexed(language), around])


def _vector(text: str, label: str, language: str) -> SearchVector:
    configuration = lexemes.configuration(language)
    return SearchVector(Value(lexemes.prepare(text)), config=configuration, weight=label)


def _joined(vectors: Sequence[Combinable]) -> Combinable:
    return Func(*vectors, template="(%(expressions)s)", arg_joiner=" || ")
