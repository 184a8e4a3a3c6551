"""Screens and assesses texts that a model wants to save: our part of memory.tools.write_guard.

Only the words are known, not their origin. They are screened like an assessor's summary without any
wish of the user; in the chat the conversation is known (chat.toolbox).
"""

import logging

from assessor.judging import Exchange, judge_locally
from assessor.local.restatement import in_own_words
from assessor.screening import screen
from memory.embeddings import EmbeddingError
from memory.tools.write_guard import Guard, Weight

logger = logging.getLogger(__name__)


def held_because(words: str) -> str | None:
    """Return the reason to send these words to review, or None."""
    finding = screen(Exchange(""), words)
    return finding.reason if finding else None


def weigh(content: str) -> Weight | None:
    """Return the built-in assessor's type and importance of a statement, or None if it failed
    (logged).
    """
    try:
        judgement = judge_locally(Exchange(in_own_words(content)))
    except EmbeddingError as error:
        logger.warning("Not judged, the default stands: %s", error)
        return None
    return Weight(judgement.memory_type, judgement.importance)


GUARD = Guard(held_because, weigh)
