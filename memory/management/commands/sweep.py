"""`manage.py sweep`: remove expired and surplus memories of a space in batches, with progress."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Space
from foundation.actors import SYSTEM
from foundation.errors import EbbError
from memory.jobs.kinds import LABELS
from memory.jobs.running import resumed_in_front, work_in_front
from memory.models import JobState
from memory.retention.sweep_job import KIND, begin_sweep


class Command(BaseCommand):
    """Sweep a space now."""

    help = "Clean up a space now: expiry, capacity, the bin. Ctrl-C stops, --resume continues."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("space", help="the space's short name")
        parser.add_argument("--resume", action="store_true", help="continue a stopped cleanup")

    def handle(self, *args: Any, space: str, resume: bool, **options: Any) -> None:
        found = Space.objects.filter(slug=space).first()
        if found is None:
            raise CommandError(_("There is no space named %(name)s.") % {"name": space})
        try:
            if resume:
                job = resumed_in_front(found, KIND)
            else:
                job = begin_sweep(space=found, actor=SYSTEM, now=timezone.now())
        except EbbError as error:
            raise CommandError(str(error)) from None
        work_in_front(job)
        for name, words in LABELS[KIND].counts.items():
            self.stdout.write(f"{words}: {job.result.get(name, 0)}")
        if job.state != JobState.DONE:
            raise CommandError(job.error or _("Stopped. Run again with --resume to continue."))
