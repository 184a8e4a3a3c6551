"""Summarises a message by its most important sentences, word for word."""

from collections.abc import Sequence

from assessor.local.features import CUES, word_count
from assessor.local.head import Array
from assessor.local.questions import is_question

MAX_LENGTH = 300

# A sentence is kept if its score is at least KEEP_FROM and at most KEEP_WITHIN below the best.
KEEP_FROM = 0.4
KEEP_WITHIN = 0.35


def summarize(sentences: Sequence[str], scores: Array) -> str:
    """Return at most MAX_LENGTH characters, never empty; `scores` (n,) belong to `sentences`."""
    order = sorted(range(len(sentences)), key=lambda i: (-scores[i], i))
    best = order[0]
    kept, length = {best}, len(sentences[best])
    for i in order[1:]:
        wanted = scores[i] >= max(KEEP_FROM, scores[best] - KEEP_WITHIN)
        if wanted and not _is_filler(sentences[i]) and length + 1 + len(sentences[i]) <= MAX_LENGTH:
            kept.add(i)
            length += 1 + len(sentences[i])
    return _shortened(" ".join(sentences[i] for i in sorted(kept)))


def _is_filler(sentence: str) -> bool:
    """Return whether the sentence is a greeting, thanks or question without personal facts."""
    if CUES["owner"].search(sentence) or CUES["subject"].search(sentence):
        return False
    short = word_count(sentence) <= 8
    return is_question(sentence) or (
        short and any(CUES[name].search(sentence) for name in ("greeting", "thanks", "reaction"))
    )


def _shortened(text: str) -> str:
    if len(text) <= MAX_LENGTH:
        return text
    head = text[: MAX_LENGTH - 1]
    # Text without spaces, such as Chinese, is cut at the character.
    return (head.rsplit(" ", 1)[0] if " " in head[-40:] else head).rstrip(" ,;") + "\u2026"
