"""Input of an import: a file's rows one after another, whatever system wrote it.

Ebb's own export begins with a header line. Other JSON Lines are read as memories of earlier systems
(legacy_records) or of other programs (foreign_records). JSON arrays and CSV are one document
(documents); they may contain conversations.
"""

import json
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NoReturn

from foundation.errors import FieldError, InvalidArguments
from foundation.moments import plausible
from foundation.texts.json_limits import refuse_dense
from memory.models import Job
from memory.transfer import conversations, documents, foreign_records, upload
from memory.transfer.conversations import MOST_EXCHANGES, ImportedExchange
from memory.transfer.legacy_records import memory_line
from memory.transfer.rows import row_of
from memory.transfer.sections import FORMAT, VERSION, Row, Section, section_of

MAX_LINE = 16 * 2**20
"""Maximum bytes of a line; the lines that Ebb writes are far shorter."""

# Beginnings of similar but unsupported files, and what to do about them.
_OTHERS: tuple[tuple[tuple[bytes, ...], str], ...] = (
    ((b"\x1f\x8b", b"PK\x03\x04"), "it is compressed: unpack it first"),
    ((b"\xff\xfe", b"\xfe\xff"), "it is UTF-16: write it as UTF-8"),
    ((b"\x80", b"(", b"]q", b"}q"), "it is a pickle, which may run anything: write it as JSON"),
)


@dataclass(frozen=True)
class Entry:
    """One line: a row of a section, or the reason why it is invalid. `end` is the start of the next
    line.

    A line without a row (blank, the first, the last) has no section and no reason. `left_out` are
    exchanges beyond the import's limit.
    """

    number: int
    end: int
    section: Section | None = None
    row: Row = field(default_factory=dict)
    wrong: str = ""
    is_end: bool = False
    left_out: int = 0


def is_legacy(job: Job) -> bool:
    """Return true if the file is of a system before Ebb. Raises InvalidArguments for a newer Ebb's
    file, and for files without readable lines."""
    beginning = next(upload.read(job), b"")
    for beginnings, reason in _OTHERS:
        if beginning.startswith(beginnings):
            raise InvalidArguments(FieldError("body", reason))
    # Ebb's header is short: a line that does not end within the first part is another program's.
    first, _newline, _rest = beginning.partition(b"\n")
    header = _object(first) if len(first) < upload.PART else None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        return True
    if header.get("version") != VERSION:
        raise InvalidArguments(
            FieldError("version", f"the file has version {header.get('version')}, not {VERSION}")
        )
    return False


def entries(job: Job, *, legacy: bool, offset: int, number: int, now: datetime) -> Iterator[Entry]:
    """Return the file's entries after line `number`, which ends at `offset`."""
    if (document := _document(job, legacy=legacy)) is not None:
        yield from _records(job, document, number, now)
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
        section, value = section_of("memory"), _memory_line(value, job, now)
    elif value.get("kind") == "end":
        return Entry(line.number, line.end, is_end=True)
    else:
        section = section_of(value.get("kind"))
    if section is None:
        raise ValueError("kind: unknown kind of line")
    row = row_of(section, value)
    _check_time(row, now)
    section.arrives(row)
    _hand_over(row, job)
    return Entry(line.number, line.end, section, row)


def _check_time(row: Row, now: datetime) -> None:
    """Raise ValueError for a row that was created before 1970 or in the future."""
    try:
        plausible(row.get("created_at") or now, now)
    except ValueError as error:
        raise ValueError(f"created_at: {error}") from None


_Document = Callable[[], Iterable[Any]]
"""Returns a document's records, from its beginning each time it is called."""


def _document(job: Job, *, legacy: bool) -> _Document | None:
    """Return the records of a file that is one document, or None for a file of lines."""
    beginning = next(upload.read(job), b"")
    if not legacy:
        return None
    begins = beginning.removeprefix(BOM_UTF8).lstrip()
    first, newline, _rest = begins.partition(b"\n")
    is_whole = bool(newline) or len(beginning) < upload.PART
    # A list is often a single, long line.
    if begins.startswith(b"[") or documents.is_document(first, is_whole=is_whole):
        return lambda: documents.found_in(upload.read(job))
    return None


def _records(job: Job, document: _Document, number: int, now: datetime) -> Iterator[Entry]:
    """Return the records of a document; `number` counts records, and `end` is their share of the
    file's bytes.

    At most the job's number of exchanges is taken, the newest ones; the last entry counts the
    others. The document is read twice, the first time to find them and errors in it.
    """
    size, counts = int(job.parameters["bytes"]), Counter[str]()
    most = int(job.parameters.get("exchanges", MOST_EXCHANGES))
    taken = conversations.newest(_exchanges(document(), counts), most)
    count = counts.total()
    for place, record in enumerate(document(), start=1):
        if place <= number or (isinstance(record, ImportedExchange) and place not in taken):
            continue
        yield replace(_record_entry(place, record, job, now), end=size * place // count)
    if counts["exchanges"] > len(taken) and number <= count:
        left_out = counts["exchanges"] - len(taken)
        yield Entry(count + 1, size, left_out=left_out)


def _exchanges(
    found: Iterable[Any], counts: "Counter[str]"
) -> Iterator[tuple[int, datetime | None]]:
    """Yield the place and the time of each exchange, and count the records."""
    for place, record in enumerate(found, start=1):
        is_exchange = isinstance(record, ImportedExchange)
        counts["exchanges" if is_exchange else "others"] += 1
        if is_exchange:
            yield place, record.at


def _record_entry(place: int, record: Any, job: Job, now: datetime) -> Entry:
    """Return the entry of a memory or of an exchange to assess."""
    try:
        if isinstance(record, ImportedExchange):
            section = section_of(conversations.SECTION)
            line = conversations.exchange_line(record, job.space, now)
        else:
            section, line = section_of("memory"), _memory_line(record, job, now)
        assert section is not None  # noqa: S101 - both are registered when the apps are ready
        row = row_of(section, line)
        section.arrives(row)
        _hand_over(row, job)
    except ValueError as error:
        return Entry(place, place, wrong=str(error))
    return Entry(place, place, section, row)


def _memory_line(record: Any, job: Job, now: datetime) -> dict[str, Any]:
    """Return the line of a memory of another system; raises ValueError."""
    if isinstance(record, str):
        record = {"content": record}
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    read = foreign_records.read(record)
    return {**memory_line(read.record, job.space, now), **read.names}


def _hand_over(row: Row, job: Job) -> None:
    """Give the row to the user of the import, if it has one; raises ValueError for the row of
    another user."""
    owner = job.parameters.get("user_id")
    if owner is None or "user_id" not in row:
        return
    if row["user_id"] not in (None, owner):
        raise ValueError("user_id: differs from the user of the import")
    row["user_id"] = owner


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
        decoded = text.decode("utf-8-sig")
        refuse_dense(decoded)
        return json.loads(decoded, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
