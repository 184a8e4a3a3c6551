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

# What asks rather than tells, as PostgreSQL's configurations leave out "what" and "my". A run of
# Chinese is cut there: the pairs across would be words that no memory holds.
_ASKING = re.compile(
    "为什么|什么时候|什么|怎么样|怎么|哪里|哪儿|哪个|哪些|多少|请问|是否|我们|你们|[我你您他她谁吗呢的]"
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


def unspaced(text: str) -> set[str]:
    """The characters in it of scripts without spaces."""
    return set("".join(_UNSPACED.findall(text)))


def prepare_question(text: str) -> str:
    """The same for a question: every word once, up to 4,000 characters of them.

    Each word becomes a query of its own, and all are looked for in every memory.
    """
    telling = _UNSPACED.sub(lambda run: " ".join(_told(run.group())), text)
    return " ".join(dict.fromkeys(prepare(telling).split()))[:MAX_QUESTION]


def _told(run: str) -> list[str]:
    """The pieces between the asking words; a character left alone there is in no memory's pairs."""
    return [piece for piece in _ASKING.split(run) if len(piece) > 1 or piece == run]
