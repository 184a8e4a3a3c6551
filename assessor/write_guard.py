"""Screens and judges what a model wants kept by a tool or a tag, for memory.tools.write_guard.

There only the words are known, not whose they are. So they are screened as a judge's summary is, of
which the user wished for nothing; in the chat the conversation is known (chat.toolbox).
"""

import logging

from assessor.judging import Exchange, judge_locally
from assessor.local.restatement import in_own_words
from assessor.screening import screen
from memory.embeddings import EmbeddingError
from memory.tools.write_guard import Guard, Weight

logger = logging.getLogger(__name__)


def held_because(words: str) -> str | None:
    """Why these words must wait for a person; None where nothing in them plants or steers."""
    finding = screen(Exchange(""), words)
    return finding.reason if finding else None


def weigh(content: str) -> Weight | None:
    """What the built-in judge makes of a statement; None, which is logged, if it cannot work."""
    try:
        judgement = judge_locally(Exchange(in_own_words(content)))
    except EmbeddingError as error:
        logger.warning("Not judged, the default stands: %s", error)
        return None
    return Weight(judgement.memory_type, judgement.importance)


GUARD = Guard(held_because, weigh)
