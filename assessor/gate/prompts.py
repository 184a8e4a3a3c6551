"""Decides why a message teaches nothing: a program wrote it, or it only shows a text."""

import json
import re
from enum import StrEnum

from assessor.gate.frames import has_frame
from assessor.gate.handed import STATED
from assessor.gate.likeness import is_like_a_program
from assessor.gate.own_words import Parts, bounded, parts_of
from assessor.gate.signals import (
    AGAIN,
    COLON,
    CONTENT,
    END_LABEL,
    ERROR,
    HEADING,
    MUCH_SELF,
    RULE_LINE,
    SCAFFOLD,
    SOME_SELF,
    TASK_SIGNALS,
    TOOL_REPORT,
    WORD,
    self_share,
)
from assessor.gate.systems import is_task

# From this sum of weights on, a message is a program's prompt. The bound is lower for messages
# without the first person, where little can be lost.
ENOUGH, ENOUGH_WITHOUT_SELF, ENOUGH_BESIDE_A_TEXT = 5, 4, 2
# Longest request, in words, beside a document that does not mention its sender.
REQUEST_WORDS = 16
# A framework sends its parser's error, which may quote much of the answer, or only asks for another
# answer.
_PARSER_ERROR = re.compile(
    r"\A\s*(?:\d{1,3} )?validation (?:feedback|errors?)"
    r"(?: (?:found|due to)\b[^\n:]{0,80})?:[ \t]*\n",
    re.IGNORECASE,
)
_ASKS_AGAIN = re.compile(
    r"\bfix the errors?\b|\brecall the function\b"
    r"|\bplease (?:return|include|respond|call|provide)\b[^.\n]{0,60}\b(?:a tool|tool calls?)\b",
    re.IGNORECASE,
)
# The last paragraph of a framework's message, below a validator's error.
_ONLY_AGAIN = re.compile(
    r"\n\n(?:please )?(?:fix|correct) the errors?(?: and (?:try again|retry))?[.!]?\s{0,9}\Z",
    re.IGNORECASE,
)


class GateReason(StrEnum):
    """A reason why a request teaches nothing."""

    CLIENT_TASK = "client_task"  # the client says so, in a header or a field
    TEMPORARY_CHAT = "temporary_chat"  # the client does not keep it either
    TASK_PROMPT = "task_prompt"
    RETRY = "retry"
    TOOL_OUTPUT = "tool_output"
    DOCUMENT = "document"
    TRANSCRIPT = "transcript"
    REPEATED_TEMPLATE = "repeated_template"


def gate_reason(text: str, system: str = "") -> GateReason | None:
    """Return why this message teaches nothing, or None for a person's own words.

    `system` is the system prompt before it, if the client sent one.
    """
    if _is_data(text):
        return GateReason.TOOL_OUTPUT
    text = bounded(text)
    parts = parts_of(text)
    own_self = self_share(parts.own)
    if _quotes_an_error(text) or (own_self < MUCH_SELF and _is_retry(parts.frame, text)):
        return GateReason.RETRY
    if _is_tool_output(parts.frame):
        return GateReason.TOOL_OUTPUT
    score = 0 if parts.asked else task_score(parts, text)
    if score >= _enough(own_self) or (not parts.asked and _begins_as_task(text)):
        return GateReason.TASK_PROMPT
    if not parts.asked and (has_frame(text) or is_like_a_program(parts, text)):
        return GateReason.TASK_PROMPT
    if is_task(bounded(system)):
        return GateReason.TASK_PROMPT
    if _only_shows(parts, score):
        return GateReason.TRANSCRIPT if parts.has_transcript else GateReason.DOCUMENT
    return None


def _only_shows(parts: Parts, score: int) -> bool:
    """Return whether a message only shows a text, and says nothing about its sender."""
    if parts.asked or not (parts.has_document or parts.has_transcript):
        return False
    if self_share(parts.own) or STATED.search(parts.own):
        return False
    return _is_only_a_request(parts) or score >= ENOUGH_BESIDE_A_TEXT


def task_score(parts: Parts, text: str) -> int:
    """Return the sum of the signals of a program's prompt, minus those of a person."""
    frame = parts.frame
    score = sum(weight for weight, signal in TASK_SIGNALS.values() if signal.search(frame))
    headings = {found["name"].strip().casefold() for found in HEADING.finditer(text)}
    score += min(len(headings), 3)
    score += 2 if END_LABEL.search(text.rstrip()) else 0
    score += 1 if len(RULE_LINE.findall(frame)) >= 3 else 0
    score += 2 if parts.has_transcript else 0
    share = self_share(frame)
    return score - (6 if share >= MUCH_SELF else 3 if share >= SOME_SELF else 0)


def _begins_as_task(text: str) -> bool:
    """Return whether the text begins with a task and is followed by the text to work on.

    The text to work on may be in the first person.
    """
    end = CONTENT.search(text)
    colon = COLON.search(text)
    if end is None or end.start() == 0:
        end = colon
    if end is None:
        return False
    task = text[: end.start()]
    found = {name for name, (_, signal) in TASK_SIGNALS.items() if signal.search(task)}
    on_others = found & {"third person", "conversation", "given text"}
    if "duty" not in found or not on_others or self_share(task):
        return False
    return len(found) > 2 or end is not colon


def _enough(own_self: float) -> int:
    return ENOUGH if own_self else ENOUGH_WITHOUT_SELF


def _is_data(text: str) -> bool:
    """Return whether the whole text is JSON, other than a word or number."""
    text = text.strip()
    if text[:1] not in "{[":
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def _quotes_an_error(text: str) -> bool:
    """Return whether the message lists errors and asks for a corrected answer, as frameworks do."""
    if _ONLY_AGAIN.search(text):
        return True
    return bool(_PARSER_ERROR.match(text) and _ASKS_AGAIN.search(text))


def _is_retry(frame: str, text: str) -> bool:
    if _ASKS_AGAIN.search(frame) and not self_share(frame):
        return True
    return bool(ERROR.search(text) and AGAIN.search(frame))


def _is_tool_output(frame: str) -> bool:
    """Return whether the text reports a tool's result, or has the labels of an agent's notes."""
    labels = {found["name"].casefold() for found in SCAFFOLD.finditer(frame)}
    is_notes = len(labels) >= 2 or ("thought" in labels and "question:" in frame.casefold())
    return is_notes or bool(TOOL_REPORT.match(frame.lstrip(" \n#*[<")))


def _is_only_a_request(parts: Parts) -> bool:
    return len(WORD.findall(parts.own)) <= REQUEST_WORDS
