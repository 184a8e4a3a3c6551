"""`manage.py reset_second_factor`: turn a user's second factor off, after a lost phone."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.sign_in.factors import turn_off


class Command(BaseCommand):
    """Turn a user's second factor off."""

    help = "Turn a user's second factor off. The user then logs in with the password alone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, username: str, **options: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(_("There is no user named %(name)s.") % {"name": username})
        if not turn_off(user=user):
            raise CommandError(_("%(name)s has no second factor.") % {"name": username})
        self.stdout.write(_("The second factor of %(name)s is off.") % {"name": username})
