"""Input of an import: a file's rows one after another, whatever system wrote it.

Ebb's own export begins with a header line. Other JSON Lines are read as memories of earlier systems
(legacy_records), a pickle as one of the older system (legacy_pickle).
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn

from memory.errors import FieldError, InvalidArguments
from memory.models import Job
from memory.transfer import legacy_pickle, upload
from memory.transfer.legacy_records import memory_line
from memory.transfer.rows import row_of
from memory.transfer.sections import FORMAT, VERSION, Row, Section, section_of

MAX_LINE = 16 * 2**20
"""Maximum bytes of a line; the lines that Ebb writes are far shorter."""

_PICKLE = b"\x80"  # of protocol 2 or newer
# Beginnings of similar but unsupported files, and what to do about them.
_OTHERS: tuple[tuple[tuple[bytes, ...], str], ...] = (
    ((b"\x1f\x8b", b"PK\x03\x04"), "it is compressed: unpack it first"),
    ((b"\xff\xfe", b"\xfe\xff"), "it is UTF-16: write it as UTF-8"),
    ((b"[",), "it is a JSON array: write each object on a line of its own"),
    (
        (b"(", b"]q", b"}q"),
        "it seems to be a pickle of protocol 0 or 1: write it by protocol 2 or newer",
    ),
)


@dataclass(frozen=True)
class Entry:
    """One line: a row of a section, or the reason why it is invalid. `end` is the start of the next
    line.

    A line without a row (blank, the first, the last) has no section and no reason.
    """

    number: int
    end: int
    section: Section | None = None
    row: Row = field(default_factory=dict)
    wrong: str = ""
    is_end: bool = False


def is_legacy(job: Job) -> bool:
    """Return true if the file is of a system before Ebb. Raises InvalidArguments for a newer Ebb's
    file, and for files without readable lines."""
    beginning = next(upload.read(job), b"")
    if beginning.startswith(_PICKLE):
        return True
    for beginnings, reason in _OTHERS:
        if beginning.startswith(beginnings):
            raise InvalidArguments(FieldError("body", reason))
    first = next(_lines(upload.read(job), 0, 0), None)
    header = _object(first.text) if first else None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        return True
    if header.get("version") != VERSION:
        raise InvalidArguments(
            FieldError("version", f"the file has version {header.get('version')}, not {VERSION}")
        )
    return False


def entries(job: Job, *, legacy: bool, offset: int, number: int, now: datetime) -> Iterator[Entry]:
    """Return the file's entries after line `number`, which ends at `offset`."""
    if next(upload.read(job), b"").startswith(_PICKLE):
        yield from _records(job, number, now)
        return
    for line in _lines(upload.read(job, offset), offset, number):
        try:
            yield _entry(line, _read(line), job, legacy, now)
        except ValueError as error:
            yield Entry(line.number, line.end, wrong=str(error))


def _entry(line: "_Line", value: Any, job: Job, legacy: bool, now: datetime) -> Entry:
    if value is None or (line.number == 1 and not legacy):
        return Entry(line.number, line.end)
    if legacy:
        section, value = section_of("memory"), memory_line(value, job.space, now)
    elif value.get("kind") == "end":
        return Entry(line.number, line.end, is_end=True)
    else:
        section = section_of(value.get("kind"))
    if section is None:
        raise ValueError("kind: unknown kind of line")
    row = row_of(section, value)
    section.arrives(row)
    return Entry(line.number, line.end, section, row)


def _records(job: Job, number: int, now: datetime) -> Iterator[Entry]:
    """Return a pickle's records as entries; `number` and `end` count records."""
    section = section_of("memory")
    assert section is not None  # noqa: S101 - this app's own
    data = b"".join(_at_most(upload.read(job), legacy_pickle.MAX_BYTES))
    for place, record in enumerate(legacy_pickle.load(data), start=1):
        if place <= number:
            continue
        try:
            row = row_of(section, memory_line(record, job.space, now))
        except ValueError as error:
            yield Entry(place, place, wrong=str(error))
        else:
            yield Entry(place, place, section, row)


def _at_most(parts: Iterable[bytes], most: int) -> Iterator[bytes]:
    size = 0
    for part in parts:
        size += len(part)
        if size > most:
            raise InvalidArguments(
                FieldError("body", f"a pickle of more than {most // 2**20} MB is too large")
            )
        yield part


@dataclass(frozen=True)
class _Line:
    number: int
    end: int
    text: bytes
    too_long: bool = False


def _lines(parts: Iterable[bytes], offset: int, number: int) -> Iterator[_Line]:
    """Return lines with their numbers. A line above MAX_LINE bytes is marked as too long, so that
    an endless line needs little memory."""
    waiting, dropped = bytearray(), 0
    for part in parts:
        start = 0
        while (newline := part.find(b"\n", start)) >= 0:
            waiting += part[start:newline]
            number, offset = number + 1, offset + dropped + len(waiting) + 1
            yield _Line(number, offset, bytes(waiting), bool(dropped))
            waiting, dropped, start = bytearray(), 0, newline + 1
        waiting += part[start:]
        if len(waiting) > MAX_LINE:
            dropped += len(waiting)
            waiting.clear()
    if waiting or dropped:
        yield _Line(number + 1, offset + dropped + len(waiting), bytes(waiting), bool(dropped))


def _read(line: _Line) -> Any:
    """Return a line's JSON object, or None for a blank line; raises ValueError."""
    if line.too_long:
        raise ValueError(f"longer than {MAX_LINE // 2**20} MB")
    if not line.text.strip():
        return None
    value = _object(line.text)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def _object(text: bytes) -> Any:
    """Return the parsed JSON, or None if it is invalid or nested too deeply."""
    try:
        return json.loads(text.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
