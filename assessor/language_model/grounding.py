"""Checks that a model's summary is supported by what the person said.

Small models write summaries that fit any conversation ("This conversation is about sustainability")
or add facts that nobody mentioned. Both would be saved as memories.
"""

import re

import numpy as np

from memory.embeddings import get_embedder
from memory.text.text_similarity import all_words, names, words

LEAST_COVER = 0.5
"""Share of the summary's meaningful words that the person used."""
LEAST_SUPPORT = 1.0
"""That share plus the cosine similarity of the two texts. Both limits were chosen on the summaries
in tests/assessor/grounding.jsonl marked `tuned`."""
# Words with which a summary reports a statement. Any statement supports them.
_REPORTING = re.compile(
    r"\b(?:the )?users?(?:['’]s?)?\b|\b(?:now|currently|also|wants?|needs?|plans?|prefers?)\b"
    "|用户|希望|最近|现在|目前|非常|要求|计划|想要|决定",
    re.IGNORECASE,
)
_SPOKEN_TO = re.compile(r"\b(?:you|your|yours|yourself)\b|[你您]", re.IGNORECASE)
# A summary that is a question contains nothing to remember.
_ASKS = re.compile(r"[?？]\s*\Z")
_HAN = re.compile("[\u3400-\u9fff]+")
_PARTICLES = re.compile("[我你您的了是很也都真在有将已正]")


def is_grounded(summary: str, said: str) -> bool:
    """Return whether the person's text `said` supports the summary: its names and numbers, at least
    half of its words, and its overall meaning. A question does not count as a summary.
    """
    if _ASKS.search(summary):
        return False
    if _SPOKEN_TO.search(summary) and not _SPOKEN_TO.search(said):
        return False  # the model replied to the person instead of summarising
    summary = _REPORTING.sub(" ", summary)
    if _bare(names(summary)) - _bare(all_words(said)):
        return False
    cover = _cover(summary, said)
    return cover >= LEAST_COVER and cover + _similarity(summary, said) >= LEAST_SUPPORT


def _cover(summary: str, said: str) -> float:
    """Return the share of the summary's words, or pairs of Chinese characters, in the text."""
    told, known = _parts(summary), _parts(said)
    return len(told & known) / len(told) if told else 0.0


def _parts(text: str) -> set[str]:
    runs = _HAN.findall(_PARTICLES.sub(" ", text))
    pairs = {run[i : i + 2] for run in runs for i in range(max(len(run) - 1, 1))}
    return pairs | words(_HAN.sub(" ", text))


def _bare(found: set[str]) -> set[str]:
    """Return the words without endings: 14 for "14th", thursday for "thursdays"."""
    return {re.sub(r"(?<=\d)(?:st|nd|rd|th)$|s$", "", word) for word in found}


def _similarity(summary: str, said: str) -> float:
    vectors = get_embedder("local", "all-MiniLM-L6-v2", 384).embed([said, summary])
    return float(np.dot(vectors[0], vectors[1]))
