"""Recognises kinds of statements that the trained head misjudges, by the words of kinds.toml.

News decide what comes next, however short they are: "We broke up". Trivia about people who are not
close to the user matter for weeks at most: "My neighbour has a red Ferrari". An opinion about
things is neither a goal nor a task: "I think tabs are better than spaces".
"""

import re
import tomllib
from datetime import UTC, datetime
from importlib import resources

from assessor.local.features import CUES, word_count
from memory.text.event_dates import event_in

LONGEST_MOOD = LONGEST_TRAIT = 8
"""Words. A longer sentence tells more than a mood, or than a trait."""

# What these cues recognise outlives the day.
_BEYOND_TODAY = ("date", "todo", "decision", "wish", "preference", "health", "relation")
_CHANGING = ("date", "todo", "decision", "wish")
_NOW = re.compile(r"\b(?:today|tonight|now)\b|今[天晚]|现在", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)  # the words alone say whether a day lies ahead
_NAME = re.compile(r"(?<=\w )(?!I\b)[A-Z]")


def _load() -> dict[str, re.Pattern[str]]:
    text = resources.files(__package__).joinpath("kinds.toml").read_text("utf-8")
    data = tomllib.loads(text)
    return {
        name: re.compile(f"{_joined(kind['en'])}|{_joined(kind['zh'])}", re.I)
        for name, kind in data.items()
    }


def _joined(lines: str) -> str:
    """Return a pattern of several lines as one, without the blanks around them."""
    return "".join(line.strip() for line in lines.splitlines())


_KINDS = _load()


def is_news(sentence: str) -> bool:
    """Return whether the sentence tells of a turn in the life of the user or of someone close."""
    told = _KINDS["news"].search(sentence) is not None
    return told and not is_trivia(sentence) and not is_origin(sentence)


def is_trivia(sentence: str) -> bool:
    """Return whether the sentence is about a person who is not close to the user, whom it does not
    name, and tells nothing else of the user."""
    about = _KINDS["stranger"].match(sentence)
    return about is not None and _KINDS["own"].search(sentence, about.end()) is None


def is_opinion(sentence: str) -> bool:
    """Return whether the sentence gives the user's opinion about things or other people."""
    return _KINDS["opinion"].match(sentence) is not None


def is_appointment(sentence: str) -> bool:
    """Return whether the sentence names a coming day and tells of nothing that lasts beyond it."""
    event = event_in(sentence, _ANY_TIME)
    comes = event is not None and event.ahead and event.precision == "day"
    return comes and _KINDS["change"].search(sentence) is None


def is_origin(sentence: str) -> bool:
    """Return whether the sentence tells where the user comes from or how childhood was."""
    return _KINDS["origin"].search(sentence) is not None


def may_be_trait(sentence: str) -> bool:
    """Return whether the sentence has the form of a short statement about the user, and names
    nothing that changes."""
    if word_count(sentence) > LONGEST_TRAIT or is_opinion(sentence):
        return False
    begins = _KINDS["trait"].match(sentence)
    return begins is not None and not any(CUES[name].search(sentence) for name in _CHANGING)


def is_meal(sentence: str) -> bool:
    """Return whether the sentence tells only that the user has eaten or drunk something."""
    return _KINDS["meal"].match(sentence) is not None and not _NAME.search(sentence)


def may_be_mood(sentence: str) -> bool:
    """Return whether the sentence has the form of a passing mood or a remark on the moment, and
    names nothing that outlives the day."""
    if word_count(sentence) > LONGEST_MOOD or _DIGIT.search(sentence):
        return False
    later = _NOW.sub(" ", sentence)
    begins = _KINDS["moment"].match(sentence)
    return begins is not None and not any(CUES[name].search(later) for name in _BEYOND_TODAY)
