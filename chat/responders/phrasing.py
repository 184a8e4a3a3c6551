"""Phrases answers out of memories: in the person's own words, turned to "you"."""

import re

from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from chat.responders.base import Turn
from foundation.moments import beside
from memory.drafts import DOCUMENT
from memory.models import Memory
from memory.recall.results import Result
from reader import language_of
from reader.sentences import sentence_places

LONGEST = 100
"""Characters of a memory that is said as a whole."""
LONGEST_SENTENCE = 160

_TURNED = {
    "i am": "you are", "i'm": "you're", "i was": "you were", "i": "you", "me": "you", "my": "your",
    "mine": "yours", "myself": "yourself", "we": "you", "we're": "you're", "us": "you",
    "our": "your", "ours": "yours", "user is": "you are", "user has": "you have",
    "user was": "you were", "the user's": "your", "user's": "your",
}  # fmt: skip
_ENGLISH = re.compile(
    r"\b(" + "|".join(sorted(_TURNED, key=len, reverse=True)) + r")\b", re.IGNORECASE
)
_SPEAKS = re.compile(r"\W*(?:i|my|we|our|user is|user has|user was|(?:the )?user's)\b", re.I)
_CHINESE = {"我们": "你们", "咱们": "你们", "用户": "你", "我": "你"}
ENDS = " .。!！;；,，"


def told(memory: Memory, at: int) -> str:
    """Return a sentence that says what the memory says around the place `at`: the person's words,
    turned to "you" in English and Chinese. Of a long memory it is one sentence.

    “I work as a vet in Porto” gives “You work as a vet in Porto.”
    """
    content = memory.content
    if len(content) > LONGEST:
        places = sentence_places(content)
        start, end = next((one for one in places if one[1] > at), (0, LONGEST))
        content = Truncator(content[start:end]).chars(LONGEST_SENTENCE)
    content = " ".join(content.split()).rstrip(ENDS)
    said = content if memory.source_role == DOCUMENT else _turned(content)
    return said[:1].upper() + said[1:] + ("。" if language_of(said) in ("zh", "ja") else ".")


def _turned(content: str) -> str:
    """Return what the person said of themselves as said to them; in other languages as it is."""
    language = language_of(content)
    if language == "en" and _SPEAKS.match(content):
        return _ENGLISH.sub(lambda found: _TURNED[found.group().lower()], content)
    if language == "zh":
        for ours, yours in _CHINESE.items():
            content = content.replace(ours, yours)
    return content


def quotation(turn: Turn, result: Result) -> str:
    """Return a memory as a small quotation with its day.

    > “I work as a vet in Porto” (Nov. 28, 2026)
    """
    memory = result.memory
    content = " ".join(memory.content.split())
    day = date_format(beside(memory.created_at, turn.now), "DATE_FORMAT")
    return f"“{content}” ({', '.join([day, *_facts_of(memory, turn)])})"


def _facts_of(memory: Memory, turn: Turn) -> list[str]:
    """Return until when an ended memory was true, and the document it comes from, if any."""
    facts = []
    if memory.valid_to is not None:
        end = date_format(beside(memory.valid_to, turn.now), "DATE_FORMAT")
        facts.append(_("true until %(day)s") % {"day": end})
    if memory.source_role == DOCUMENT:
        facts.append(_("from the document %(name)s") % {"name": memory.metadata.get("document")})
    return facts
