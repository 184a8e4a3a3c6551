"""Text prepared for PostgreSQL's full-text search.

PostgreSQL's parser splits words at spaces. Chinese, Japanese, Korean and Thai have none, so their
runs are cut into overlapping pairs of characters (bigrams), in memories and in questions. Both are
written in the form in which texts are compared (text_forms.folded).
"""

import re
from datetime import datetime

from foundation.texts.forms import compatible, folded
from memory.text.event_dates import with_dates

MAX_QUESTION = 2000  # characters; the built-in embedder reads about a thousand

# Han, kana, Hangul, Thai: scripts written without spaces, or with words glued to particles.
_UNSPACED = re.compile(
    "[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)
# A Chinese character, which may be a whole word; recall/sql/words.py has the same range.
_ONE_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")

# Question words, as PostgreSQL's configurations omit "what" and "my". A run of Chinese is cut at
# them, because pairs across the cut would match no memory.
_ASKING = re.compile(
    "为什么|什么时候|什么|怎么样|怎么|哪里|哪儿|哪一?[年天个次位种些]|多少|请问|是否|来着|对了|一下"
    "|我们|你们|[我你您他她谁哪吗呢吧啊呀的]"
)
# Chinese words of one character that every text contains; ignored if nothing else is left.
_SAYING_LITTLE = frozenset(
    "在是有了和就也都很不要会去来到把被给对从用做能想最叫个那这还又再好早没上下"
)

# The end of "I'm" or "we've", which PostgreSQL turns into a separate word.
_SHORTENED = re.compile(r"(?<=\w)['\u2019](?:m|ve|re|ll|d)\b", re.IGNORECASE)

# PostgreSQL's text search configuration by language; other languages keep words unchanged.
_CONFIGURATIONS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian",
    "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "tr": "turkish",
}  # fmt: skip


def configuration(language: str) -> str:
    """Return the text search configuration for a two-letter language code."""
    return _CONFIGURATIONS.get(language, "simple")


def _bigrams(match: re.Match[str]) -> str:
    run = match.group()
    pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return f" {' '.join(pairs)} "


def indexed(text: str) -> str:
    """Return the text to index: folded, and prepared."""
    return prepare(folded(text))


def prepare(text: str) -> str:
    """Return the text with every unspaced run replaced by its bigrams, separated by spaces."""
    return _UNSPACED.sub(_bigrams, text)


def unspaced(text: str) -> set[str]:
    """Return the text's characters of scripts without spaces."""
    return set("".join(_UNSPACED.findall(text)))


def unspaced_share(text: str) -> float:
    """Return the share of the text's letters that belong to scripts without spaces, in 0..1."""
    letters = sum(map(str.isalpha, text))
    return min(1.0, sum(map(len, _UNSPACED.findall(text))) / letters) if letters else 0.0


def prepare_question(text: str, now: datetime) -> str:
    """Prepare a question like `indexed`: every word once, and dates in the index's words. Of more
    than 2,000 characters, return the first and last thousand.

    Each word becomes a separate query, and all are searched in every memory.
    """
    asking = _SHORTENED.sub("", with_dates(compatible(text), now))
    telling = _UNSPACED.sub(lambda run: " ".join(_told(run.group())), asking)
    words = " ".join(dict.fromkeys(indexed(telling).split()))
    half = MAX_QUESTION // 2
    return words if len(words) <= MAX_QUESTION else f"{words[:half]} {words[-half:]}"


def _told(run: str) -> list[str]:
    """Return the pieces between question words. Of single characters, return only meaningful
    Chinese ones, which find the bigrams that begin with them.
    """
    pieces = _ASKING.split(run)
    return [one for one in pieces if len(one) > 1 or one == run or _tells(one)]


def _tells(one: str) -> bool:
    return _ONE_HAN.fullmatch(one) is not None and one not in _SAYING_LITTLE
