"""`manage.py import_space`: import an Ebb export, or memories of an earlier system, into a
space.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from memory.actors import SYSTEM
from memory.errors import EbbError
from memory.jobs.running import resumed_in_front, work_in_front
from memory.models import Job, JobState, Space
from memory.transfer.upload import IMPORT, begin_import


class Command(BaseCommand):
    """Import a file into a space."""

    help = "Import a file into a space. Ctrl-C stops, --resume continues."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--space", required=True, help="the space's short name")
        parser.add_argument(
            "--on-error",
            choices=["skip", "abort"],
            default="skip",
            help="skip invalid lines, or cancel the import if there is one",
        )
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("file", nargs="?", help="the file to import")
        what.add_argument("--resume", action="store_true", help="continue the last import")

    def handle(self, *args: Any, space: str, **options: Any) -> None:
        found = Space.objects.filter(slug=space).first()
        if found is None:
            raise CommandError(_("There is no space named %(name)s.") % {"name": space})
        try:
            job = resumed_in_front(found, IMPORT) if options["resume"] else _begun(found, **options)
        except (EbbError, OSError) as error:
            raise CommandError(str(error)) from None
        work_in_front(job)
        self._tell(job)

    def _tell(self, job: Job) -> None:
        for kind, counted in job.result.get("counts", {}).items():
            self.stdout.write(f"{kind}: " + _("%(new)d new, %(known)d already known") % counted)
        for wrong in job.result.get("wrong", []):
            self.stderr.write(_("line %(line)d: %(reason)s") % wrong)
        more = job.result.get("wrong_count", 0) - len(job.result.get("wrong", []))
        if more:
            self.stderr.write(_("and %(count)d more") % {"count": more})
        if job.state != JobState.DONE:
            stopped = _("Stopped at line %(line)d. Run again with --resume to continue.")
            raise CommandError(job.error or stopped % {"line": job.result.get("line", 0)})


def _begun(space: Space, file: str, on_error: str, **options: Any) -> Job:
    with Path(file).open("rb") as stream:
        chunks: Iterator[bytes] = iter(lambda: stream.read(2**20), b"")
        return begin_import(
            space=space, chunks=chunks, on_error=on_error, actor=SYSTEM, now=timezone.now()
        )
