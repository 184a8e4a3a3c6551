"""`manage.py reassess`: assesses many exchanges of a space again and shows the progress."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Space
from assessor.reassessing import KIND, begin_reassessing
from foundation.actors import SYSTEM
from foundation.errors import EbbError
from memory.jobs.kinds import LABELS
from memory.jobs.running import resumed_in_front, work_in_front
from memory.models import JobState


class Command(BaseCommand):
    """Assess failed exchanges again, or all exchanges of one model."""

    help = "Re-assess exchanges whose assessment failed. Ctrl-C stops, --resume continues."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("space", help="the space's short name")
        parser.add_argument(
            "--model", default="", help="re-assess everything that this model assessed"
        )
        parser.add_argument("--resume", action="store_true", help="continue a stopped run")

    def handle(self, *args: Any, space: str, model: str, resume: bool, **options: Any) -> None:
        found = Space.objects.select_related("embedder").filter(slug=space).first()
        if found is None:
            raise CommandError(_("There is no space named %(name)s.") % {"name": space})
        try:
            if resume:
                job = resumed_in_front(found, KIND)
            else:
                job = begin_reassessing(space=found, model=model, actor=SYSTEM, now=timezone.now())
        except EbbError as error:
            raise CommandError(str(error)) from None
        work_in_front(job)
        for name, words in LABELS[KIND].counts.items():
            self.stdout.write(f"{words}: {job.result.get(name, 0)}")
        if job.state != JobState.DONE:
            raise CommandError(job.error or _("Stopped. Run again with --resume to continue."))
