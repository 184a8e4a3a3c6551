"""Files of another program that are one document: a JSON array or object, and CSV."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, TextIO

from foundation.errors import FieldError, InvalidArguments
from foundation.texts.json_limits import refuse_dense
from memory.transfer import json_stream
from memory.transfer.conversations import (
    ImportedExchange,
    exchanges_of,
    is_conversation,
    memories_of,
)
from memory.transfer.json_stream import MAX_RECORD

CONTAINERS = (
    "results", "memories", "items", "facts", "edges", "passages", "blocks",
    "core_memory", "conversations", "data",
)  # fmt: skip
"""The fields of an object that contain its records."""
TEXT_COLUMNS = frozenset({"content", "memory", "fact", "text", "value"})
_DELIMITERS = (",", ";", "\t")
_LONGEST_HEADER = 10_000  # characters

Found = ImportedExchange | dict[str, Any] | Any
"""An exchange, a record, or a value that is neither."""


def is_document(first_line: bytes, *, is_whole: bool) -> bool:
    """Return true if a file that begins with this line is one document, not one record per line.
    A line that is not `is_whole` goes on for more than a megabyte."""
    text = first_line.decode("utf-8-sig", "replace").strip()
    if text == "{" or not is_whole:
        return text.startswith("{")
    if not text.startswith("{"):
        return delimiter_of(text) is not None
    try:
        refuse_dense(text)
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return _is_container(value) or is_conversation(value)


def found_in(parts: Iterable[bytes]) -> Iterator[Found]:
    """Yield the file's records and exchanges, in its order, with one of them in memory at a time.
    Raises InvalidArguments, perhaps after some of them."""
    text = io.TextIOWrapper(io.BufferedReader(_Parts(parts)), "utf-8-sig", newline="")
    try:
        lines = _lines(text)
        first = next((line.lstrip() for line in lines if line.strip()), "")
        if first.startswith(("[", "{")):
            for record in json_stream.records(first, text, CONTAINERS):
                yield from _found(record)
        else:
            yield from _rows(first, lines)
    except UnicodeDecodeError:
        raise _refused("it is not UTF-8") from None
    except RecursionError:
        raise _refused("it is nested too deeply") from None
    except ValueError as error:
        raise _refused(f"it is not valid JSON: {error}") from None


def _is_container(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in CONTAINERS)


def _found(record: Any) -> list[Found]:
    if is_conversation(record):
        return [*exchanges_of(record)]
    memories = memories_of(record)
    return [record] if memories is None else [*memories]


def delimiter_of(header: str) -> str | None:
    """Return the delimiter of a CSV file with this first line; None if no column has a text."""
    if len(header) > _LONGEST_HEADER:
        return None
    for delimiter in _DELIMITERS:
        if TEXT_COLUMNS & set(_columns(header, delimiter)):
            return delimiter
    return None


def _columns(header: str, delimiter: str) -> list[str]:
    """Return the names of the columns; none if the line is not CSV, as with a lone CR in it."""
    try:
        cells = next(csv.reader([header], delimiter=delimiter), [])
    except csv.Error:
        return []
    return [cell.strip().lower() for cell in cells]


def _lines(text: TextIO) -> Iterator[str]:
    """Yield the lines; a longer one than MAX_RECORD comes in pieces."""
    while line := text.readline(MAX_RECORD):
        yield line


def _rows(header: str, lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a CSV file as records, without empty cells. Raises InvalidArguments."""
    delimiter = delimiter_of(header.strip()) or ","
    try:
        rows = csv.reader(chain([header], lines), delimiter=delimiter, strict=True)
        names = [cell.strip().lower() for cell in next(rows, [])]
        for row in rows:
            cells = {name: cell.strip() for name, cell in zip(names, row, strict=False)}
            if given := {name: cell for name, cell in cells.items() if cell}:
                yield _typed(given)
    except csv.Error as error:
        raise _refused(f"it is not valid CSV: {error}") from None


def _typed(row: Mapping[str, str]) -> dict[str, Any]:
    """Return the row with numbers and lists. A row names the time of creation, so that it is not
    taken for a record of an earlier system."""
    typed: dict[str, Any] = {"created_at": None, **row}
    for name in ("tags", "categories"):
        if name in row:
            typed[name] = [tag.strip() for tag in row[name].replace(";", ",").split(",")]
    for name in ("importance", "created_at", "timestamp"):
        try:
            typed[name] = float(row[name])
        except (KeyError, ValueError):
            continue
    return typed


class _Parts(io.RawIOBase):
    """A file's parts as one stream of bytes."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts, self._rest = iter(parts), b""

    def readable(self) -> bool:
        """Return true, as io.BufferedReader asks."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill the buffer from the current part; return the number of bytes, 0 at the end."""
        self._rest = self._rest or next(self._parts, b"")
        piece, self._rest = self._rest[: len(target)], self._rest[len(target) :]
        target[: len(piece)] = piece
        return len(piece)


def _refused(reason: str) -> InvalidArguments:
    return InvalidArguments(FieldError("body", reason))
