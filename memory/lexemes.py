"""Text made ready for PostgreSQL's full-text search.

Its parser finds words by the spaces between them. Chinese, Japanese, Korean and Thai have none,
so their runs are cut into overlapping pairs of characters (bigrams), in memories and in questions
alike; everything else passes through unchanged.
"""

import re

MAX_QUESTION = 4000  # characters; the built-in embedder reads about a thousand

# Han, kana, Hangul, Thai: scripts written without spaces, or with words glued to particles.
_UNSPACED = re.compile(
    "[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)

# The space's language as PostgreSQL's text search configuration; anything else: words as they are.
_CONFIGURATIONS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian",
    "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "tr": "turkish",
}  # fmt: skip


def configuration(language: str) -> str:
    """The text search configuration for a two-letter language code."""
    return _CONFIGURATIONS.get(language, "simple")


def _bigrams(match: re.Match[str]) -> str:
    run = match.group()
    pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return f" {' '.join(pairs)} "


def prepare(text: str) -> str:
    """The text with every unspaced run replaced by its bigrams, separated by spaces."""
    return _UNSPACED.sub(_bigrams, text)


def prepare_question(text: str) -> str:
    """The same for a question: every word once, up to 4,000 characters of them.

    A tsquery of words joined by OR is as deep as it has words, and PostgreSQL's stack is not.
    """
    return " ".join(dict.fromkeys(prepare(text).split()))[:MAX_QUESTION]
