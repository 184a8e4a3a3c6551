"""Formats of memories sent to a model, exactly as in the seeds.

    list       seed 000, "Search Output Format": day, text, match and id, for prompts and tools
    summaries  seed 003, section 6: the age in words and the text

With the policy's `relative_dates`, the list and the answers of tools show the age beside the day.
The end of a line names the time of an event on another day, the day until which a superseded memory
was true, and the document of a memory from a document.

A memory's text stays within its line and position: it cannot start another line, close its
quotation marks, or imitate a control token of a model's server.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from foundation.moments import beside
from memory.drafts import DOCUMENT

if TYPE_CHECKING:
    from memory.models import Memory
    from memory.policy import PolicyDocument
    from memory.recall.results import Result

Form = Literal["auto", "list", "summaries"]
SayDay: TypeAlias = Callable[[datetime], str]
"""Writes the day of a memory."""

# <tag>, </tag>, <|im_start|>, <｜User｜>, <!-- and <<SYS>>: control tokens of chat templates and
# prompts. Servers look for such tokens in the finished prompt, wherever they come from.
_ANGLE_MARK = re.compile(r"<(?=[A-Za-z/!?|｜<])")
_BRACKET_MARK = re.compile(r"\[(/?[A-Z]{3,}(?:_[A-Z]+)*)\]")  # [INST], [/TOOL_CALLS]
# Directional embeddings, overrides and isolates. Right-to-left letters and marks are kept.
_TURNS = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))
_INNER_QUOTES = str.maketrans("“”", "‘’")

_SUMMARY = {"zh": "{age}的对话摘要“{text}”", "en": "Summary of a conversation {age}: “{text}”"}
_EVENT = {"zh": "时间{}", "en": "event {}"}
_UNTIL = {"zh": "有效至{}", "en": "until {}"}
_DOCUMENT = {"zh": "来自文档{}", "en": "from the document {}"}
_NONE = {"zh": "（无）", "en": "(none)"}
_AGES = {
    "zh": {"day": "{}天前", "month": "{}个月前", "year": "{}年前"},
    "en": {"day": "{} day{s} ago", "month": "{} month{s} ago", "year": "{} year{s} ago"},
}


def iso_day(moment: datetime) -> str:
    """Return `2026-02-18`, in the moment's own zone."""
    return f"{moment:%Y-%m-%d}"


def _iso_day_beside(now: datetime) -> SayDay:
    """Return the function that writes `2026-02-18`, in the zone of the person who speaks now."""
    return lambda moment: iso_day(beside(moment, now))


def day_by(policy: PolicyDocument, now: datetime) -> SayDay:
    """Return the function with which the policy writes a day: `2026-02-18`, or with the age
    `2026-02-18, 3 days ago`, in Chinese `2026-02-18, 3天前`.
    """
    day = _iso_day_beside(now)
    if not policy.recall.relative_dates:
        return day
    return lambda moment: f"{day(moment)}, {age_in_words(moment, policy.language, now)}"


def times_of(memory: Memory, language: str = "en") -> list[str]:
    """Return `event 2026-03` for a memory of an event on another day, `until 2026-06-02` for a
    superseded one, and `from the document cv.pdf` for one that nobody said."""
    words, times = _language(language), []
    if memory.event_day and memory.event_day != iso_day(memory.said_at):
        times.append(_EVENT[words].format(memory.event_day))
    if memory.valid_to is not None:
        times.append(_UNTIL[words].format(iso_day(beside(memory.valid_to, memory.said_at))))
    if memory.source_role == DOCUMENT:
        name = one_line(str(memory.metadata.get("document", "")))
        times.append(_DOCUMENT[words].format(name).strip())
    return times


def relevant_memories(results: Sequence[Result], say_day: SayDay = iso_day) -> str:
    """Return `## RELEVANT MEMORIES`, a blank line, and a line for each memory.

    Example line: - [2026-02-18] User likes pizza (92% match, id: abc123). The times of its event
    and of its end follow in brackets, if it has them.
    """
    lines = [
        f"- [{say_day(result.memory.created_at)}] {one_line(result.memory.content)}"
        f" ({result.match}, id: {result.memory.short_id})" + bracketed(times_of(result.memory))
        for result in results
    ]
    return "\n".join(["## RELEVANT MEMORIES", "", *(lines or [_NONE["en"]])])


def dated_summaries(results: Sequence[Result], language: str, now: datetime) -> str:
    """Return a line for each memory: in Chinese `3天前的对话摘要“…”`, otherwise in English. The
    times of its event and of its end follow in brackets, if it has them."""
    words = _language(language)
    lines = [
        _SUMMARY[words].format(
            age=age_in_words(result.memory.created_at, language, now),
            text=one_line(result.memory.content).translate(_INNER_QUOTES),
        )
        + bracketed(times_of(result.memory, words), words)
        for result in results
    ]
    return "\n".join(lines or [_NONE[words]])


def bracketed(times: Sequence[str], words: str = "en") -> str:
    """Return ` (event 2025-03, until 2026-02-19)`, or "" without times."""
    if not times:
        return ""
    return f"（{'，'.join(times)}）" if words == "zh" else f" ({', '.join(times)})"


def rendered(results: Sequence[Result], *, policy: PolicyDocument, now: datetime) -> str:
    """Return the memories in the policy's format; `auto` depends on the language."""
    form, language = policy.recall.form, policy.language
    if form == "summaries" or (form == "auto" and language == "zh"):
        return dated_summaries(results, language, now)
    return relevant_memories(results, day_by(policy, now))


def one_line(text: str) -> str:
    """Return the text on one line, without invisible characters, and with control tokens
    disabled."""
    words = " ".join(text.split())  # str.split splits at all line breaks of splitlines
    visible = "".join(sign for sign in words if not _is_hidden(sign))
    return _BRACKET_MARK.sub(r"(\1)", _ANGLE_MARK.sub("‹", visible))


def _is_hidden(sign: str) -> bool:
    """Return true for control characters, direction marks that affect the following text (U+202A…,
    U+2066…), and tag characters (U+E0000…), which can hide text."""
    turns = unicodedata.bidirectional(sign) in _TURNS
    return turns or unicodedata.category(sign) == "Cc" or 0xE0000 <= ord(sign) <= 0xE007F


def age(days: int) -> tuple[int, Literal["today", "day", "month", "year"]]:
    """Return the age as a number and the unit of seed 003 (section 6); a future date is "today"."""
    if days < 1:
        return 0, "today"
    if days < 30:
        return days, "day"
    if days < 365:
        return days // 30, "month"
    return days // 365, "year"


def age_in_words(moment: datetime, language: str, now: datetime) -> str:
    """Return `3天前` in Chinese, otherwise `3 days ago`: calendar days of the person who speaks
    now."""
    days = (now.date() - beside(moment, now).date()).days
    words, (count, unit) = _language(language), age(days)
    if unit == "today":
        return "今天" if words == "zh" else "today"
    return _AGES[words][unit].format(count, s="" if count == 1 else "s")


def _language(language: str) -> str:
    return "zh" if language == "zh" else "en"
