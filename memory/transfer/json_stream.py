"""Reads a large JSON file record by record, within little memory.

The standard library's decoder reads each record; a library such as ijson would read numbers and
surrogates in its own way.
"""

import json
from collections.abc import Collection, Iterator
from json.decoder import WHITESPACE  # type: ignore[attr-defined]  # of the standard decoder
from typing import Any, NoReturn, TextIO

from foundation.texts.json_limits import refuse_dense

MAX_RECORD = 16 * 2**20
"""Maximum characters of a record."""
_PIECE = 64 * 2**10
_QUOTED = 20
_ENDS = "it ends in the middle of a record"


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


_DECODER = json.JSONDecoder(parse_constant=_no_number)


def records(begun: str, source: TextIO, containers: Collection[str]) -> Iterator[Any]:
    """Yield the records of a list, or of an object's lists with the names of `containers`; any
    other object is a record. `begun` was read before. Raises ValueError, RecursionError."""
    refuse_dense(begun)
    text = _JsonText(begun, source)
    yield from text.items() if text.next_sign() == "[" else _of_object(text, containers)
    if text.next_sign():
        raise ValueError("something follows its end")


def _of_object(text: "_JsonText", containers: Collection[str]) -> Iterator[Any]:
    whole: dict[str, Any] = {}
    has_list, comma = False, ""
    text.expect("{")
    while not text.takes("}"):
        text.expect(comma)
        comma, name = ",", text.value()
        text.expect(":")
        if name in containers and text.next_sign() == "[":
            has_list = True
            yield from text.items()
        elif not has_list:
            whole[str(name)] = text.value()
            text.refuse_above(MAX_RECORD)
        else:
            text.value()
    if not has_list:
        yield whole


class _JsonText:
    """A JSON text, of which one value is in memory at a time."""

    def __init__(self, begun: str, source: TextIO) -> None:
        self._text, self._at, self._source, self._read = begun, 0, source, len(begun)

    def next_sign(self) -> str:
        """Return the next character that is no white space, without taking it; "" at the end."""
        while True:
            blank = WHITESPACE.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._text) or not self._read_more():
                return self._text[self._at : self._at + 1]

    def takes(self, sign: str) -> bool:
        """Take this character if it is the next one."""
        is_next = self.next_sign() == sign
        self._at += is_next
        return is_next

    def expect(self, sign: str) -> None:
        """Take this character; raise ValueError if another one is next."""
        if sign and not self.takes(sign):
            raise ValueError(f"{sign} is missing" if self.next_sign() else _ENDS)

    def items(self) -> Iterator[Any]:
        """Yield the values of a list."""
        self.expect("[")
        comma = ""
        while not self.takes("]"):
            self.expect(comma)
            comma = ","
            yield self.value()

    def value(self) -> Any:
        """Return the next value, however long it is, up to MAX_RECORD."""
        self.next_sign()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._read_more():
                    wrong = self._text[error.pos :].strip()[:_QUOTED]
                    raise ValueError(f"“{wrong}” is no value" if wrong else _ENDS) from None
                continue
            if end < len(self._text) or not self._read_more():  # a number may go on
                self._at = min(end, len(self._text))
                return value

    def refuse_above(self, most: int) -> None:
        """Raise ValueError if more than this was read."""
        if self._read > most + _PIECE:
            raise ValueError(f"a record is longer than {MAX_RECORD // 2**20} MB")

    def _read_more(self) -> bool:
        """Read as much again as is waiting; return false at the end."""
        waiting = self._text[self._at :]
        if len(waiting) > MAX_RECORD:
            raise ValueError(f"a record is longer than {MAX_RECORD // 2**20} MB, or has no end")
        refuse_dense(waiting)
        most = MAX_RECORD + 1 - len(waiting)
        piece = self._source.read(min(most, max(_PIECE, len(waiting))))
        if piece:
            self._text, self._at = waiting + piece, 0
            self._read += len(piece)
        return bool(piece)
