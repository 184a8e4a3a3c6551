"""`manage.py delete_space`: close a space and have it deleted, or reopen it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Space
from foundation.actors import SYSTEM
from foundation.errors import EbbError
from memory.spaces.deletion import close_space, delete_now, reopen_space


class Command(BaseCommand):
    """Delete a space, or reopen a closed one."""

    help = (
        "Close a space and have a worker delete it and everything in it at once. "
        "Of a closed space, start or continue the deletion."
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
        found, now = Space.objects.filter(slug=space).first(), timezone.now()
        if found is None:
            raise CommandError(_("There is no space named %(name)s.") % {"name": space})
        try:
            if bring_back:
                reopen_space(space=found, actor=SYSTEM, now=now)
                self.stdout.write(_("The space %(name)s was restored.") % {"name": space})
                return
            asked = _("Type “%(slug)s” to confirm") % {"slug": space}
            if not yes and input(f"{asked}: ") != space:
                raise CommandError(_("Nothing was deleted."))
            if found.closed_at is None:
                found = close_space(space=found, actor=SYSTEM, now=now)
            delete_now(space=found, now=now)
        except EbbError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(_("A worker deletes the space %(name)s.") % {"name": space})
