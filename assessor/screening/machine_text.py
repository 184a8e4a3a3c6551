"""Removes text that no person said: recalled memories, system prompts, tool results, and, from a
person's message, code, quoted lines and comments that nobody sees.

Callers often send the whole prompt. Without this, a recalled memory would be saved again at each
recall.
"""

import re
from dataclasses import replace
from typing import Any

from assessor.assessing import Exchange

# Roles of messages that no person wrote.
MACHINE_ROLES = frozenset({"system", "developer", "tool", "function"})

# Ours (seed 004) and those of other programs
_NAMES_OF_TAGS = (
    r"memor(?:y|ies)|relevant[_-]memories|memory[_-](?:context|block|saved|deleted)|recalled"
    r"|system(?:[_-]\w+)?|(?:tool|function)[_-](?:results?|outputs?|responses?|calls?)"
)
_TAG = re.compile(
    rf"<(?P<close>/)?(?P<tag>{_NAMES_OF_TAGS})(?:\s[^<>]{{0,500}}?)?(?P<empty>/)?>"
    r"|\[(?P<close_mark>/)?(?P<mark>memory|memories|system|tool)\]",
    re.IGNORECASE,
)
_CUT = [
    re.compile(pattern, re.IGNORECASE | re.MULTILINE | re.DOTALL)
    for pattern in (
        # Between the lines of dashes of our own system prompt
        r"^-{10}$\s*^\#\# RELEVANT MEMORIES$.*?(?:^-{10}$|\Z)",
        # "## RELEVANT MEMORIES", or another heading that says so, with the lines below it
        r"^[ \t]*(?:[#*]+[ \t]*)?"
        r"(?:relevant|recalled|retrieved|stored|saved|long-term|相关|已存|已知)(?:的)?[ \t]*"
        r"(?:memor(?:y|ies)|记忆)[*: ：\t]*$(?:\s*^[ \t]*(?:[-*•]|\d+\.|\(none\))[^\n]*$)*",
        # A recalled memory by itself, as Ebb writes it for models (seeds 000 and 003) and people
        # (only up to the next one, otherwise each would be read to the end of the line)
        r"[-*•][ \t]{0,9}\[\d{4}-\d\d-\d\d\] (?:(?!\[\d{4}-\d\d-\d\d\] )[^\n])*?"
        r"\(\d{1,3}% match[^()\n]*\)",
        r"^[ \t]*[-*•][ \t]*“[^\n]*” \([^()\n]*\d{1,3}% match\)[ \t]*$",
        # (not from within a number: otherwise a long one would be read to its end from each digit)
        r"(?:今天|(?<!\d)\d{1,6}(?:天|个月|年)前)的对话摘要“[^“”\n]*”(?:（[^（）\n]{0,40}）)?",
        # A tool's answer in words, to the next blank line
        r"^[ \t]*(?:tool|function)[ _](?:result|output|response)s?[^:\n]{0,60}:"
        r".*?(?:\n[ \t]*\n|\Z)",
    )
]
_SHOWN = re.compile(
    r"```.*?(?:```|\Z)|<!--.*?(?:-->|\Z)|(?:^[ \t]*>(?!>)[^\n]*(?:\n|\Z))+",
    re.MULTILINE | re.DOTALL,
)
_NAMES = re.compile(
    r"(?:(?:relevant|long[_-]?term|user|stored|saved)[_-]?)?memor(?:y|ies)|(?:recalled|retrieved)\w*"
    r"|system(?:[_-]?(?:prompt|messages?|instructions?))?|instructions"
    r"|(?:tool|function)s?(?:[_-]?(?:calls?|results?|outputs?|responses?))?",
    re.IGNORECASE,
)


def without_machine_text(text: str) -> str:
    """Return the text without marked memories, system prompts and tool results."""
    text = _without_tags(text)
    for pattern in _CUT:
        text = pattern.sub("\n", text)
    return text.strip()


def _without_tags(text: str) -> str:
    """Return the text without these tags and their contents. An unclosed tag stays.

    One pass: otherwise a text full of open tags would be searched to its end from each of them.
    """
    spans: list[tuple[int, int]] = []
    opened: dict[str, int] = {}
    for tag in _TAG.finditer(text):
        name = (tag["tag"] or tag["mark"]).casefold()
        if tag["empty"]:
            spans.append(tag.span())
        elif not (tag["close"] or tag["close_mark"]):
            opened.setdefault(name, tag.start())
        elif name in opened:
            spans.append((opened.pop(name), tag.end()))
    kept, end = [], 0
    for start, stop in sorted(spans):
        kept.append(text[end:start])
        end = max(end, stop)
    return "\n".join([*kept, text[end:]])


def assessed_part(exchange: Exchange) -> Exchange:
    """Return the part of the exchange that is assessed: people's words and the
    assistant's reply.
    """
    role = exchange.source_role.casefold()
    said = "" if role in MACHINE_ROLES else without_machine_text(exchange.user_message)
    return replace(
        exchange,
        user_message=_SHOWN.sub("\n", said).strip() if role == "user" else said,
        assistant_response=without_machine_text(exchange.assistant_response),
        context=_without(exchange.context),
    )


def _without(value: Any) -> Any:
    """Return JSON without machine messages and without fields named like memories, prompts or
    tools.
    """
    if isinstance(value, str):
        return without_machine_text(value)
    if isinstance(value, list):
        return [_without(item) for item in value if not _is_machine_message(item)]
    if isinstance(value, dict):
        return {key: _without(item) for key, item in value.items() if not _NAMES.fullmatch(key)}
    return value


def _is_machine_message(item: object) -> bool:
    return isinstance(item, dict) and str(item.get("role")).casefold() in MACHINE_ROLES
