"""Finds tags and topics by rule, with the words of lexicon.json."""

import json
import re
from importlib import resources

from assessor.local.words import content_words
from memory.text.lexemes import unspaced_share
from reader.sentences import IMAGE, split_sentences

MAX_TAGS = 10
MAX_TOPICS = 5
CHINESE_SHARE = 0.3
"""From this share of letters of scripts without spaces on, a text is Chinese."""
_MAX_NOUNS = 3

_NAME = re.compile(r"[A-Z][\w&'-]*[\w](?: (?:& )?(?!I')[A-Z][\w'-]*\w)*")
_OWN_CAPITALS = re.compile(r"\w[A-Z]|\d")


def _load_lexicon() -> dict[str, dict[str, dict[str, str]]]:
    text = resources.files(__package__).joinpath("lexicon.json").read_text("utf-8")
    data: dict[str, dict[str, dict[str, str]]] = json.loads(text)
    return data


_LEXICON = _load_lexicon()
_SUBJECTS = {
    tag: re.compile(rf"\b(?:{words['en']})|{words['zh']}", re.IGNORECASE)
    for tag, words in _LEXICON["subjects"].items()
}
_CHINESE_WORDS = re.compile(_LEXICON["words"]["zh"]["salient"])
_NOT_NAMES = frozenset(_LEXICON["words"]["en"]["not_names"].split())


def find_tags(text: str, memory_type: str) -> list[str]:
    """Return 1 to 10 lower-case tags: the type, the subjects, and a few salient nouns."""
    subjects = [tag for tag, pattern in _SUBJECTS.items() if pattern.search(text)]
    tags = [memory_type, *subjects[:5], *_salient_words(text)]
    if "work" not in subjects:
        tags.append("personal")
    return list(dict.fromkeys(tags))[:MAX_TAGS]


def find_topics(text: str) -> list[str]:
    """Return up to 5 topics: names as they are written, then subjects, in English or Chinese."""
    chinese = _CHINESE_WORDS.findall(text)
    is_chinese = unspaced_share(text) >= CHINESE_SHARE
    subjects = [
        _LEXICON["subjects"][tag]["topic_zh"] if is_chinese else tag.title()
        for tag, pattern in _SUBJECTS.items()
        if tag != "urgent" and pattern.search(text)
    ]
    return list(dict.fromkeys([*_names(text), *chinese, *subjects]))[:MAX_TOPICS]


def _salient_words(text: str) -> list[str]:
    """Return the longest content words in the order of the text; for Chinese, words of
    the lexicon.
    """
    words = content_words(IMAGE.sub(" ", text))
    longest = sorted(words, key=lambda word: (-len(word), word))[:_MAX_NOUNS]
    return [*sorted(longest, key=words.index), *_CHINESE_WORDS.findall(text)[:_MAX_NOUNS]]


def _names(text: str) -> list[str]:
    """Return capitalised words; at a sentence's start only if written like SQL or PostgreSQL, and
    none of a sentence in capitals."""
    names: list[str] = []
    for sentence in split_sentences(IMAGE.sub(" ", text)):
        if sentence.isupper():
            continue
        for match in _NAME.finditer(sentence):
            name = match.group().removesuffix("'s")
            starts = match.start() <= 1
            if starts and not _OWN_CAPITALS.search(name):
                # "Yesterday Anna": the first word is only capitalised, the second is a name.
                name = name.partition(" ")[2]
            if name and name.split("'")[0].lower() not in _NOT_NAMES:
                names.append(name)
    return names
