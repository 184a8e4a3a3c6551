"""`manage.py delete_space`: close and delete a space with a progress line, or reopen it."""

from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Space
from foundation.actors import SYSTEM
from foundation.errors import EbbError
from memory.jobs.running import work_in_front
from memory.models import Job
from memory.spaces.deletion import begin_deletion, close_space, reopen_space


class Command(BaseCommand):
    """Delete a space, or reopen a closed one."""

    help = (
        "Delete a space and everything in it, without a grace period. Ctrl-C keeps the space "
        "if nothing was deleted yet; after that a worker continues."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("space", help="the space's short name")
        parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")
        parser.add_argument(
            "--bring-back",
            action="store_true",
            help="reopen a closed space if nothing was deleted yet",
        )

    def handle(self, *args: Any, space: str, yes: bool, bring_back: bool, **options: Any) -> None:
        found = Space.objects.filter(slug=space).first()
        if found is None:
            raise CommandError(_("There is no space named %(name)s.") % {"name": space})
        try:
            if bring_back:
                reopen_space(space=found, actor=SYSTEM, now=timezone.now())
                self.stdout.write(_("The space %(name)s was restored.") % {"name": space})
            else:
                self._delete(found, yes)
        except EbbError as error:
            raise CommandError(str(error)) from None

    def _delete(self, space: Space, yes: bool) -> None:
        asked = _("Type “%(slug)s” to confirm") % {"slug": space.slug}
        if not yes and input(f"{asked}: ") != space.slug:
            raise CommandError(_("Nothing was deleted."))
        if space.closed_at is None:
            space = close_space(space=space, actor=SYSTEM, now=timezone.now())
        job = begin_deletion(space=space, now=timezone.now())
        with suppress(Job.DoesNotExist):  # the job is deleted with its space
            work_in_front(job)
            self._stopped(space, job)
        self.stdout.write(_("The space %(name)s was deleted.") % {"name": space.slug})

    def _stopped(self, space: Space, job: Job) -> None:
        if job.done:
            raise CommandError(
                job.error
                or _("Part of the space is already deleted. A worker will delete the rest.")
            )
        reopen_space(space=space, actor=SYSTEM, now=timezone.now())
        raise CommandError(_("Stopped before anything was deleted. The space is open again."))
