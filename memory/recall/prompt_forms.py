"""Formats of memories sent to a model: those of the seeds, letter for letter.

    list       seed 000, "Search Output Format": day, text, match and id, for prompts and tools
    summaries  seed 003, section 6: the age in words and the text

A memory's text stays within its line and position: it cannot start another line, close its
quotation marks, or imitate a control token of a model's server.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from memory.recall.recall import Result

Form = Literal["auto", "list", "summaries"]

# <tag>, </tag>, <|im_start|>, <｜User｜>, <!-- and <<SYS>>: control tokens of chat templates and
# prompts. Servers look for such tokens in the finished prompt, wherever they come from.
_ANGLE_MARK = re.compile(r"<(?=[A-Za-z/!?|｜<])")
_BRACKET_MARK = re.compile(r"\[(/?[A-Z]{3,}(?:_[A-Z]+)*)\]")  # [INST], [/TOOL_CALLS]
# Embeddings, overrides and isolates; right-to-left letters and their marks are kept.
_TURNS = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))
_INNER_QUOTES = str.maketrans("“”", "‘’")

_SUMMARY = {"zh": "{age}的对话摘要“{text}”", "en": "Summary of a conversation {age}: “{text}”"}
_NONE = {"zh": "（无）", "en": "(none)"}
_AGES = {
    "zh": {"day": "{}天前", "month": "{}个月前", "year": "{}年前"},
    "en": {"day": "{} day{s} ago", "month": "{} month{s} ago", "year": "{} year{s} ago"},
}


def relevant_memories(results: Sequence[Result]) -> str:
    """Return `## RELEVANT MEMORIES`, a blank line, and a line for each memory:

    Example line: - [2026-02-18] User likes pizza (92% match, id: abc123)
    """
    lines = [
        f"- [{result.memory.created_at:%Y-%m-%d}] {one_line(result.memory.content)}"
        f" ({result.match}, id: {result.memory.short_id})"
        for result in results
    ]
    return "\n".join(["## RELEVANT MEMORIES", "", *(lines or [_NONE["en"]])])


def dated_summaries(results: Sequence[Result], language: str, now: datetime) -> str:
    """Return a line for each memory: in Chinese `3天前的对话摘要“…”`, otherwise in English."""
    words = "zh" if language == "zh" else "en"
    lines = [
        _SUMMARY[words].format(
            age=_age_in(words, (now - result.memory.created_at).days),
            text=one_line(result.memory.content).translate(_INNER_QUOTES),
        )
        for result in results
    ]
    return "\n".join(lines or [_NONE[words]])


def rendered(results: Sequence[Result], *, form: Form, language: str, now: datetime) -> str:
    """Return the memories in the policy's format; `auto` depends on the language."""
    if form == "summaries" or (form == "auto" and language == "zh"):
        return dated_summaries(results, language, now)
    return relevant_memories(results)


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


def _age_in(words: str, days: int) -> str:
    count, unit = age(days)
    if unit == "today":
        return "今天" if words == "zh" else "today"
    return _AGES[words][unit].format(count, s="" if count == 1 else "s")
