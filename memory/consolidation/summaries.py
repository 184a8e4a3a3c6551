"""Summaries of small observations from one conversation, without a model: the most telling
sentences, joined in their order.

A sentence is telling if it has words that no chosen sentence has; names and numbers count twice.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta

from memory.consolidation.grouping import Sentence
from memory.drafts import MAX_CONTENT
from memory.models import Memory
from memory.models.choices import MemoryType
from memory.text.text_similarity import meaning, names, weight

SMALL_TYPES = (MemoryType.OBSERVATION, MemoryType.EVENT)
SMALL = 110
"""Characters of a small observation. Of longer ones a summary loses more than it saves."""
LEAST, MOST = 4, 8
"""The number of memories in one summary."""
PAUSE = timedelta(hours=6)
"""Memories of a conversation belong to one episode while no pause is longer."""
BUILT_IN, BY_MODEL = 0.6, 0.75
"""The confidence in a summary."""
LENGTH = 0.75
"""Maximum length of a built-in summary, as a share of its sources' length."""
_LEAST_NEW = 1.0
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])\s*")
_QUESTION = re.compile(r"[?？]\s*$")


def first_episode(memories: Sequence[Memory]) -> list[Memory]:
    """Return the beginning of this list that is one episode: one user's memories of one
    conversation without a long pause, MOST at the most."""
    episode = [memories[0]]
    for memory in memories[1:MOST]:
        last = episode[-1]
        same = (memory.source_conversation, memory.user_id) == (
            last.source_conversation,
            last.user_id,
        )
        if not same or memory.created_at - last.created_at > PAUSE:
            break
        episode.append(memory)
    return episode


def summarise(memories: Sequence[Memory]) -> list[Sentence]:
    """Return the most telling sentences of these memories, in their order; [] if leaving out the
    others would not make them shorter."""
    dialogue = len({memory.source_speaker for memory in memories}) > 1
    said = [one for memory in memories for one in _sentences(memory, dialogue)]
    room = LENGTH * sum(len(memory.content) for memory in memories)
    chosen: set[int] = set()
    known: set[str] = set()
    while (best := _most_telling(said, chosen, known, room)) is not None:
        chosen.add(best)
        known |= meaning(said[best].text)
        room -= len(said[best].text) + 1
    return [said[place] for place in sorted(chosen)] if len(chosen) < len(said) else []


def text_of(sentences: Sequence[Sentence]) -> str:
    """Return the sentences as the content of a memory, each speaker named where they begin."""
    speakers = ["", *(one.speaker for one in sentences)]
    parts = [
        one.text.removeprefix(f"{one.speaker}: ")
        if one.speaker and one.speaker == before
        else one.text
        for one, before in zip(sentences, speakers, strict=False)
    ]
    return " ".join(parts)[:MAX_CONTENT]


def _most_telling(
    said: Sequence[Sentence], chosen: set[int], known: set[str], room: float
) -> int | None:
    """Return the place of the sentence with the most new words that fits, or None."""
    gains = {
        place: _telling(one.text, known)
        for place, one in enumerate(said)
        if place not in chosen and len(one.text) <= room
    }
    best = max(gains, key=lambda place: (gains[place], -place), default=None)
    return best if best is not None and gains[best] >= _LEAST_NEW else None


def _telling(text: str, known: set[str]) -> float:
    new = meaning(text) - known
    return weight(new) + len({name for name in names(text) if name not in known})


def _sentences(memory: Memory, dialogue: bool) -> Iterator[Sentence]:
    """Return the sentences of a memory that are no questions, in a dialogue with their speaker."""
    speaker = memory.source_speaker if dialogue else ""
    for text in _SENTENCES.split(memory.content.strip()):
        if text and not _QUESTION.search(text):
            yield Sentence(f"{speaker}: {text}" if speaker else text, (memory.pk,), speaker)
