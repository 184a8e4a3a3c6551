"""`manage.py import_space`: import an Ebb export, or data of another program, into a space."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Space
from foundation.actors import SYSTEM
from foundation.errors import EbbError
from memory.jobs.running import resumed_in_front, work_in_front
from memory.models import Job, JobState
from memory.transfer.conversations import MOST_EXCHANGES
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
        parser.add_argument(
            "--preview", action="store_true", help="only check the file and forecast lifetimes"
        )
        parser.add_argument(
            "--keep-forever", action="store_true", help="pin the memories, so that none expires"
        )
        parser.add_argument(
            "--exchanges",
            type=int,
            default=MOST_EXCHANGES,
            help="maximum exchanges of another assistant to assess, newest first",
        )
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("file", nargs="?", help="the file to import")
        what.add_argument("--resume", action="store_true", help="continue the last import")

    def handle(self, *args: Any, space: str, **options: Any) -> None:
        found = Space.objects.filter(slug=space).first()
        if found is None:
            raise CommandError(_("There is no space named %(name)s.") % {"name": space})
        if options["exchanges"] < 1:
            raise CommandError(_("--exchanges must be at least 1."))
        try:
            job = resumed_in_front(found, IMPORT) if options["resume"] else _begun(found, **options)
        except (EbbError, OSError) as error:
            raise CommandError(str(error)) from None
        work_in_front(job)
        self._tell(job)

    def _tell(self, job: Job) -> None:
        for kind, counted in job.result.get("counts", {}).items():
            self.stdout.write(f"{kind}: " + _("%(new)d new, %(known)d already known") % counted)
        self._tell_forecast(job.result.get("forecast"))
        if left_out := job.result.get("left_out"):
            self.stdout.write(_("older exchanges over the limit: %(count)d") % {"count": left_out})
        for wrong in job.result.get("wrong", []):
            self.stderr.write(_("line %(line)d: %(reason)s") % wrong)
        more = job.result.get("wrong_count", 0) - len(job.result.get("wrong", []))
        if more:
            self.stderr.write(_("and %(count)d more") % {"count": more})
        if job.state != JobState.DONE:
            stopped = _("Stopped at line %(line)d. Run again with --resume to continue.")
            raise CommandError(job.error or stopped % {"line": job.result.get("line", 0)})

    def _tell_forecast(self, forecast: dict[str, Any] | None) -> None:
        if not forecast:
            return
        said = [_("%(memories)d new memories, %(never)d kept forever")]
        said += [_("%(expired)d have expired already")] if forecast["expired"] else []
        said += [_("%(over_capacity)d over the capacity of %(capacity)d")]
        for sentence in said:
            self.stdout.write(sentence % forecast)
        if forecast.get("exchanges"):
            self.stdout.write(_("%(exchanges)d exchanges to assess") % forecast)
        for one in forecast["expire"]:
            sentence = _("%(count)d expire by %(by)s") if one["by"] else _("%(count)d expire later")
            if one["count"]:
                self.stdout.write(sentence % one)


def _begun(
    space: Space, file: str, *, on_error: str, preview: bool, keep_forever: bool, exchanges: int,
    **options: Any,
) -> Job:  # fmt: skip
    with Path(file).open("rb") as stream:
        chunks: Iterator[bytes] = iter(lambda: stream.read(2**20), b"")
        return begin_import(
            space=space,
            chunks=chunks,
            on_error=on_error,
            preview=preview,
            keep_forever=keep_forever,
            exchanges=exchanges,
            actor=SYSTEM,
            now=timezone.now(),
        )
