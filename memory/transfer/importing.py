"""Work of an import job: the file is read in batches, each committed with its end position.

With `on_error: abort` the file is read twice: first to check it, then to write it if it has no
errors. With `preview` it is only read, and kept for the import.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import psycopg
from django.db import DatabaseError, DataError, IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from foundation.actors import Actor
from foundation.database.connections import release_connection
from foundation.database.leases import database_now
from foundation.errors import EbbError
from foundation.moments import in_zone, stored_zone
from memory.jobs.services import advance
from memory.models import Job, JobState, Memory, MemoryEvent, PolicyVersion
from memory.transfer import upload
from memory.transfer.checking import Checked
from memory.transfer.forecast import Forecast
from memory.transfer.identity import keep_apart
from memory.transfer.sources import Entry, entries, is_legacy
from memory.transfer.writing import Target, prepare, store

_MEMORIES, _ROWS = 100, 500  # in a batch; memories must be embedded
SHOWN = 100
"""Maximum number of wrong lines stored with their reasons."""
REASON_LENGTH = 300
"""Maximum characters of a reason, which may quote the file."""


class NothingWritten(EbbError):
    """An import that changed nothing: the file has no memories, or an invalid line that was to
    cancel the import."""


@dataclass
class Report:
    """The progress and results of an import: the job's result. `left_out` counts exchanges beyond
    the import's limit."""

    offset: int = 0
    line: int = 0
    checked: bool = False
    takes_policy: bool | None = None
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    wrong: list[dict[str, Any]] = field(default_factory=list)
    wrong_count: int = 0
    left_out: int = 0
    forecast: dict[str, Any] | None = None

    @property
    def found_anything(self) -> bool:
        """True if the file has a row that was imported or was in the space before."""
        return any(counted["new"] or counted["known"] for counted in self.counts.values())

    def note(self, number: int, reason: str) -> None:
        """Record a wrong line."""
        self.wrong_count += 1
        if len(self.wrong) < SHOWN:
            self.wrong.append({"line": number, "reason": reason[:REASON_LENGTH]})

    def count(self, kind: str, new: int, known: int) -> None:
        """Add to the counts of new and known rows."""
        counted = self.counts.setdefault(kind, {"new": 0, "known": 0})
        counted["new"] += new
        counted["known"] += known


def import_space(job: Job) -> Mapping[str, Any]:
    """Run an import from its last position. Raises NothingWritten, InvalidArguments."""
    work = _Import(job)
    if job.parameters.get("preview"):
        return asdict(work.preview())
    if job.parameters["on_error"] == "abort" and not work.report.checked:
        work.check()
    work.write()
    if not work.report.found_anything:
        raise NothingWritten("Nothing was imported: Ebb found no memory in this file.")
    upload.forget(job)
    return asdict(work.report)


class _Import:
    """One run of an import's job."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.report = Report(**job.result)
        zone = stored_zone(job.parameters.get("time_zone", ""))
        self._legacy, self._now = is_legacy(job), in_zone(timezone.now(), zone)
        if self.report.takes_policy is None:
            self.report.takes_policy = not self._legacy and _is_untouched(job)

    def preview(self) -> Report:
        """Read the whole file without writing; return its wrong lines and its forecast."""
        takes_policy = bool(self.report.takes_policy)
        forecast = Forecast(self._job.space, self._now, takes_policy=takes_policy)
        found = self._checked(total=self._bytes, forecast=forecast)
        found.forecast = forecast.result()
        return found

    def check(self) -> None:
        """Read the whole file without writing. Raises NothingWritten if a line is wrong."""
        found = self._checked(total=self._bytes * 2)
        if found.wrong_count:
            values = asdict(found)
            advance(job=self._job, done=self._job.done, now=database_now(), result=values)
            raise NothingWritten("Nothing was imported: some lines are invalid.")
        self.report.checked = True

    def _checked(self, *, total: int, forecast: Forecast | None = None) -> Report:
        checked = Checked(self._job.space)
        found = Report(takes_policy=self.report.takes_policy)
        for batch in self._batches(found):
            for entry in batch:
                found.left_out += entry.left_out
                if reason := entry.wrong or checked.wrong(entry):
                    found.note(entry.number, reason)
            if forecast is not None:
                forecast.add(batch)
            advance(job=self._job, done=batch[-1].end, now=database_now(), total=total)
        return found

    def write(self) -> None:
        """Write the file in batches."""
        for batch in self._batches(self.report):
            try:
                self._step(batch)
            except DatabaseError as error:
                if not _refuses_a_row(error):
                    raise
                # Write one by one to find it.
                for entry in batch:
                    self._step_alone(entry)

    @property
    def _bytes(self) -> int:
        return int(self._job.parameters["bytes"])

    def _batches(self, report: Report) -> Iterator[list[Entry]]:
        """Return entries in file order, in batches of one section or none."""
        for batch in self._read(report):
            section = batch[0].section
            if self._legacy and section is not None and section.model is Memory:
                keep_apart([entry.row for entry in batch], self._job.space)
            yield batch

    def _read(self, report: Report) -> Iterator[list[Entry]]:
        return _batched(
            entries(
                self._job,
                legacy=self._legacy,
                offset=report.offset,
                number=report.line,
                now=self._now,
            ),
            ends=not self._legacy,
        )

    def _step(self, batch: list[Entry]) -> None:
        """Write a batch and record the position, all or nothing."""
        report = Report(**asdict(self.report))
        target = Target(
            space=self._job.space,
            actor=Actor(self._job.actor_type, self._job.actor_name),  # type: ignore[arg-type]  # it was one when the job was made
            now=timezone.now(),
            is_legacy=self._legacy,
            keep_forever=bool(self._job.parameters.get("keep_forever")),
            takes_policy=bool(report.takes_policy),
        )
        # The space may have started to switch to another model since this run began.
        target.space.refresh_from_db()
        ready = prepare(target, batch[0].section, batch) if batch[0].section else None
        with transaction.atomic():
            for number, reason in [(e.number, e.wrong) for e in batch if e.wrong]:
                report.note(number, reason)
            if ready is not None:
                if ready.section.model is PolicyVersion and target.takes_policy:
                    _forget_default_policy(self._job)
                report.count(ready.section.kind, *store(target, ready))
                for number, reason in ready.wrong:
                    report.note(number, reason)
            report.left_out += sum(entry.left_out for entry in batch)
            report.offset, report.line = batch[-1].end, batch[-1].number
            self._advance(report)
        self.report = report
        release_connection()

    def _step_alone(self, entry: Entry) -> None:
        try:
            self._step([entry])
        except DatabaseError as error:
            if not _refuses_a_row(error):
                raise
            reason = str(error).strip().splitlines()[0]
            self._step([Entry(entry.number, entry.end, wrong=reason)])

    def _advance(self, report: Report) -> None:
        checked = self._bytes if report.checked else 0
        advance(
            job=self._job,
            done=checked + min(report.offset, self._bytes),
            now=database_now(),
            total=checked + self._bytes,
            result=asdict(report),
        )


def _refuses_a_row(error: DatabaseError) -> bool:
    """Return whether the tables refuse a row. The coordinator of Citus passes a shard's refusal on
    as an internal error, by a function that does nothing else."""
    cause = error.__cause__
    return isinstance(error, IntegrityError | DataError) or (
        isinstance(cause, psycopg.errors.InternalError_)
        and cause.diag.source_function == "ReportCopyError"
        and cause.diag.message_detail is not None  # names the key or row; a lost node has none
    )


def _batched(found: Iterator[Entry], *, ends: bool) -> Iterator[list[Entry]]:
    """Return batches of entries of one section, up to the batch size. If `ends` is true, the file
    needs an end line; a truncated file gets a last entry with an error."""
    batch: list[Entry] = []
    complete, last = not ends, Entry(0, 0)
    for entry in found:
        if batch and (entry.section is not batch[0].section or len(batch) >= _most(batch[0])):
            yield batch
            batch = []
        batch.append(entry)
        complete, last = complete or entry.is_end, entry
    if batch:
        yield batch
    if not complete:
        yield [Entry(last.number + 1, last.end, wrong="the file ends before its last line")]


def _most(entry: Entry) -> int:
    return _MEMORIES if entry.section and entry.section.model is Memory else _ROWS


def _is_untouched(job: Job) -> bool:
    """Return true if nothing has happened in the space yet; then the file's policy is imported
    too."""
    tables = (Memory, MemoryEvent)
    if any(t._base_manager.filter(space_id=job.space_id).exists() for t in tables):
        return False
    imports = Job.objects.in_space(job.space).filter(kind=job.kind, state=JobState.DONE)
    imports = imports.filter(~Q(parameters__has_key="preview"))
    versions = PolicyVersion.objects.filter(space_id=job.space_id)
    return versions.count() <= 1 and not imports.exists()


def _forget_default_policy(job: Job) -> None:
    """Delete the space's default policy before the file's first policy version is written."""
    if not job.result.get("counts", {}).get("policy"):
        PolicyVersion.objects.filter(space_id=job.space_id).delete()
