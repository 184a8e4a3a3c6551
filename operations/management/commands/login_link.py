"""`manage.py login_link`: print a link that logs a user in once, without a password."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils.translation import gettext as _
from sesame.utils import get_query_string

from accounts.models import User
from operations.local_files import running_url


class Command(BaseCommand):
    """Print a login link."""

    help = "Print a login link that works once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", nargs="?", default="owner")

    def handle(self, *args: Any, username: str, **options: Any) -> None:
        user = User.objects.filter(username=username, is_active=True).first()
        if user is None:
            raise CommandError(_("There is no user named %(name)s.") % {"name": username})
        url = running_url(settings.EBB_DATA_DIR) or settings.EBB_URL
        self.stdout.write(url + reverse("login_link") + get_query_string(user))
