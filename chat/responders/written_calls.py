"""Finds tool calls that a model writes as text, so that no reader sees them.

Small models write a call as JSON, bare, in a code block, or after a mark of their training.
"""

import json
from collections.abc import Collection
from typing import Any
from uuid import uuid4

from pydantic_core import from_json

from assessor.llm import TextDelta, ToolCall

Piece = TextDelta | ToolCall

_CLOSINGS = {"```": "```", "<tool_call>": "</tool_call>", "[TOOL_CALLS]": "", "<|python_tag|>": ""}
_OPENINGS = (*_CLOSINGS, "{", "[{")
_LETTERS = "abcdefghijklmnopqrstuvwxyz_"  # of a code block's language
_FIELDS = {"name", "arguments", "parameters", "function", "type", "id"}


class WrittenCalls:
    """Passes on a stream's text, with each call in it as a ToolCall. `names` are known tools."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._held = ""  # text that may yet turn out to be a call

    def add(self, text: str, *, is_end: bool = False) -> list[Piece]:
        """Return the new text and calls; at the end also the buffered text, without an unfinished
        call.
        """
        self._held += text
        pieces: list[Piece] = []
        while self._held and (found := self._next(is_end)) is not None:
            pieces += found
        return pieces

    def _next(self, is_end: bool) -> list[Piece] | None:
        """Remove the first pieces of the held text and return them; None until more has come."""
        if start := _opening_in(self._held, is_end):
            return [self._take(start)]
        body, closing = _body_of(self._held)
        if not is_end and _may_open(self._held[body:]):
            return None
        value, length = _json_at(self._held[body:])
        if not _may_be_call(value):
            return [self._take(body + length or 1)]
        if not length:
            return self._at_end(value) if is_end else None
        if not (calls := self._calls_in(value)):
            return [self._take(body + length)]
        end = self._held.find(closing, body + length)
        if end < 0 and not is_end:
            return None
        self._take(len(self._held) if end < 0 else end + len(closing))
        return calls

    def _at_end(self, value: Any) -> list[Piece]:
        """Return the unfinished rest, without a call that has begun."""
        rest = self._take(len(self._held))
        call = _flat(value[0] if isinstance(value, list) and value else value)
        name = call.get("name")
        known = isinstance(name, str) and any(one.startswith(name) for one in self._names)
        return [] if known or "arguments" in call else [rest]

    def _take(self, length: int) -> TextDelta:
        taken, self._held = self._held[:length], self._held[length:]
        return TextDelta(taken)

    def _calls_in(self, value: Any) -> list[Piece]:
        """Return the calls if the value consists of calls, else none."""
        calls: list[Piece] = []
        for item in value if isinstance(value, list) else [value]:
            call = _flat(item)
            name, arguments = call.get("name"), call.get("arguments", call.get("parameters", {}))
            is_known = name in self._names or isinstance(call.get("arguments"), dict)
            if not (isinstance(name, str) and is_known):
                return []
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            calls.append(ToolCall(f"written_{uuid4().hex[:8]}", name, text))
        return calls


def _opening_in(text: str, is_end: bool) -> int:
    """Return where the first opening begins, or may begin at the text's end; else the length."""
    found = (text.find(opening) for opening in _OPENINGS)
    first = min((at for at in found if at >= 0), default=len(text))
    if is_end:
        return first
    ends = (at for at in range(max(0, len(text) - 16), first) if _may_open(text[at:]))
    return next(ends, first)


def _may_open(end: str) -> bool:
    return any(opening.startswith(end) for opening in _OPENINGS)


def _body_of(text: str) -> tuple[int, str]:
    """Return where the JSON after the marks begins, and the text that closes the first mark."""
    rest, first = text, ""
    while mark := next((mark for mark in _CLOSINGS if rest.startswith(mark)), ""):
        first = first or mark
        rest = rest[len(mark) :]
        rest = (rest.lstrip(_LETTERS) if mark == "```" else rest).lstrip()
    return len(text) - len(rest), _CLOSINGS.get(first, "")


def _json_at(text: str) -> tuple[Any, int]:
    """Return the object or list that the text begins with, and its length, 0 if it is unfinished.

    The value is None if the text begins with anything else.
    """
    if not text.startswith(("{", "[")):
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
