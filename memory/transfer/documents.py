"""Files that are read whole: a JSON array or object of another program, and CSV."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from memory.errors import FieldError, InvalidArguments
from memory.json_limits import refuse_dense
from memory.transfer.conversations import (
    ImportedExchange,
    exchanges_of,
    is_conversation,
    memories_of,
)

MAX_BYTES = 64 * 2**20
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


def is_document(first_line: bytes) -> bool:
    """Return true if a file that begins with this line is read whole, not line by line."""
    text = first_line.decode("utf-8-sig", "replace").strip()
    if text == "{":
        return True
    if not text.startswith("{"):
        return delimiter_of(text) is not None
    try:
        refuse_dense(text)
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return _is_container(value) or is_conversation(value)


def load(data: bytes) -> list[Found]:
    """Return the file's records and exchanges, in its order. Raises InvalidArguments."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _refused("it is not UTF-8") from None
    if not text.lstrip().startswith(("[", "{")):
        return list(_rows(text))
    try:
        refuse_dense(text)
        value = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise _refused(f"it is not valid JSON: {error}") from None
    return [one for record in _records(value) for one in _found(record)]


def _records(value: Any) -> Iterator[Any]:
    """Yield the records of a list, or of an object's known lists; any other object is a record."""
    if isinstance(value, list):
        yield from value
    elif _is_container(value):
        for name in CONTAINERS:
            if isinstance(value.get(name), list):
                yield from value[name]
    else:
        yield value


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


def _rows(text: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a CSV file as records, without empty cells. Raises InvalidArguments."""
    header, _newline, _rest = text.lstrip().partition("\n")
    delimiter = delimiter_of(header.strip()) or ","
    try:
        lines = io.StringIO(text.lstrip(), newline="")
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
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


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _refused(reason: str) -> InvalidArguments:
    return InvalidArguments(FieldError("body", reason))
