"""Finds tool calls that a model writes as text, so that no reader sees them.

Small models write a call as JSON, bare, in a code block, or after a mark of their training.
"""

import json
from collections.abc import Collection
from typing import Any

from pydantic_core import from_json

from assessor.llm import TextDelta, ToolCall

Piece = TextDelta | ToolCall

_MARKS = ("<tool_call>", "[TOOL_CALLS]", "<|python_tag|>", "```")
_OPENINGS = (*_MARKS, "{", "[{")
_CLOSINGS = ("</tool_call>", "```")
_FIELDS = {"name", "arguments", "parameters", "function", "type", "id"}


class WrittenCalls:
    """Passes on a stream's text, with each call in it as a ToolCall. `names` are known tools."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._held = ""  # text that may yet turn out to be a call
        self._after_call = False
        self._number = 0

    def add(self, text: str, *, is_end: bool = False) -> list[Piece]:
        """Return the new text and calls; at the end also the buffered text, without an unfinished
        call.
        """
        self._held += text
        pieces: list[Piece] = []
        while self._held:
            if self._after_call and not self._skip_closing(is_end):
                break
            if start := _opening_in(self._held, is_end):
                pieces.append(self._take(start))
                continue
            found = self._at_opening(is_end)
            if found is None:
                break
            pieces += found
        return pieces

    def _at_opening(self, is_end: bool) -> list[Piece] | None:
        """Return the pieces that the held text begins with; None until more of it has come."""
        body = _body_of(self._held)
        if body == len(self._held) or (not is_end and _may_open(self._held[body:])):
            return [self._take(len(self._held))] if is_end else None
        value, length = _json_at(self._held[body:])
        if value is None:
            return [self._take(max(body, 1))]
        if length and (calls := self._calls_in(value)):
            self._take(body + length)
            self._after_call = True
            return calls
        if length or not _may_be_call(value):
            return [self._take(body + (length or 1))]
        if not is_end:
            return None
        rest = self._take(len(self._held))
        return [] if self._is_begun(value) else [rest]

    def _take(self, length: int) -> TextDelta:
        """Remove the beginning of the held text and return it."""
        taken, self._held = self._held[:length], self._held[length:]
        return TextDelta(taken)

    def _skip_closing(self, is_end: bool) -> bool:
        """Remove the end of a call's block; return whether the text goes on after it."""
        self._held = self._held.lstrip(" \n\r\t;,]")
        begins = any(closing.startswith(self._held) for closing in _CLOSINGS)
        if begins and not is_end and self._held not in _CLOSINGS:
            return False
        for closing in _CLOSINGS:
            self._held = self._held.removeprefix(closing)
        self._after_call = False
        return bool(self._held)

    def _calls_in(self, value: Any) -> list[Piece]:
        """Return the calls if the value consists of calls, else none."""
        calls: list[Piece] = []
        for item in value if isinstance(value, list) else [value]:
            call = _flat(item)
            name, arguments = call.get("name"), call.get("arguments", call.get("parameters", {}))
            is_known = name in self._names or isinstance(call.get("arguments"), dict)
            if not (_may_be_call(item) and isinstance(name, str) and is_known):
                return []
            self._number += 1
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            calls.append(ToolCall(f"written_{self._number}", name, text))
        return calls

    def _is_begun(self, value: Any) -> bool:
        """Return whether an unfinished value is certainly a call."""
        call = _flat(value[0] if isinstance(value, list) and value else value)
        name = call.get("name")
        known = isinstance(name, str) and any(one.startswith(name) for one in self._names)
        return known or "arguments" in call


def _opening_in(text: str, is_end: bool) -> int:
    """Return where the first opening begins, or may begin at the text's end; else the length."""
    found = [text.find(opening) for opening in _OPENINGS]
    first = min((at for at in found if at >= 0), default=len(text))
    if is_end:
        return first
    ends = (at for at in range(max(0, len(text) - 16), first) if _may_open(text[at:]))
    return next(ends, first)


def _may_open(end: str) -> bool:
    return any(opening.startswith(end) for opening in _OPENINGS)


def _body_of(text: str) -> int:
    """Return where the JSON after the marks begins, behind the language of a code block."""
    at = 0
    while mark := next((mark for mark in _MARKS if text.startswith(mark, at)), ""):
        at += len(mark)
        if mark == "```":
            at += len(text[at:]) - len(text[at:].lstrip("abcdefghijklmnopqrstuvwxyz_"))
        at += len(text[at:]) - len(text[at:].lstrip())
    return at


def _json_at(text: str) -> tuple[Any, int]:
    """Return the object or list that the text begins with, and its length, 0 if it is unfinished.

    The value is None if the text begins with anything else.
    """
    if text[0] not in "{[":
        return None, 0
    try:
        return json.JSONDecoder(strict=False).raw_decode(text)
    except ValueError:
        pass
    try:
        # A text must not contain a line break, but some models write one.
        return from_json(" ".join(text.splitlines()), allow_partial="trailing-strings"), 0
    except ValueError:
        return None, 0


def _may_be_call(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    return all(isinstance(item, dict) and item.keys() <= _FIELDS for item in items)


def _flat(value: Any) -> dict[str, Any]:
    """Return a call's fields, those of `function` among them."""
    fields = value if isinstance(value, dict) else {}
    inner = fields.get("function")
    return {**fields, **inner} if isinstance(inner, dict) else {"name": inner, **fields}
