"""Summaries of small observations from one conversation, without a model: the words of one speaker,
joined in their order, without sentences that repeat others or say nothing.

A summary that mixes speakers, or has more than three sources, is found less often than its sources
were.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise

from memory.consolidation.grouping import Sentence
from memory.drafts import MAX_CONTENT
from memory.models import Memory
from memory.models.choices import MemoryType
from memory.text.text_similarity import meaning, names, weight

SMALL_TYPES = (MemoryType.OBSERVATION, MemoryType.EVENT)
SMALL = 130
"""Maximum bytes of a small observation. A Chinese character says more and has three bytes."""
LEAST, MOST = 4, 12
"""The limits for the number of memories in an episode; a model summarises at least LEAST."""
JOINED = 3
"""Maximum number of memories in a summary without a model."""
PAUSE = timedelta(hours=6)
"""The longest pause between two memories of one episode."""
BUILT_IN, BY_MODEL = 0.6, 0.75
"""The confidence in a summary."""
_LEAST_NEW = 2.0
"""Minimum number of new words in a sentence that is kept; names and numbers count twice."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])\s*")


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


def parts(episode: Sequence[Memory]) -> Iterator[Sequence[Memory]]:
    """Return the memories that a summary joins without a model: two or three of one speaker."""
    for speaker in dict.fromkeys(memory.source_speaker for memory in episode):
        said = [memory for memory in episode if memory.source_speaker == speaker]
        count = -(-len(said) // JOINED)
        bounds = [len(said) * number // count for number in range(count + 1)]
        yield from (said[start:end] for start, end in pairwise(bounds) if end - start > 1)


def summarise(memories: Sequence[Memory]) -> list[Sentence]:
    """Return the sentences of these memories that say something new, in their order."""
    kept: list[Sentence] = []
    known: set[str] = set()
    for memory in memories:
        for text in filter(None, _SENTENCES.split(memory.content.strip())):
            if _telling(text, known) >= _LEAST_NEW:
                kept.append(Sentence(text, (memory.pk,)))
                known |= meaning(text)
    return kept


def text_of(sentences: Sequence[Sentence]) -> str:
    """Return the sentences as the content of a memory."""
    return " ".join(one.text for one in sentences)[:MAX_CONTENT]


def _telling(text: str, known: set[str]) -> float:
    new = meaning(text) - known
    return weight(new) + len({name for name in names(text) if name not in known})
