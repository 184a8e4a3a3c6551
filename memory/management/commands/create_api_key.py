"""`manage.py create_api_key`: create an API key and print its secret, which is not stored."""

from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from memory.access.keys import create_key
from memory.actors import SYSTEM
from memory.embeddings import EmbeddingError
from memory.embeddings.embedders import configured_embedder
from memory.errors import InvalidArguments
from memory.models import Scope, Space
from memory.spaces.services import create_space


class Command(BaseCommand):
    """Create an API key and print it."""

    help = "Create an API key for a space and print only the key."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--space", required=True, help="the space's short name")
        parser.add_argument("--scopes", required=True, help=", ".join(Scope.values))
        parser.add_argument("--name", default="", help="a name for the key")
        parser.add_argument("--expires-days", type=float, help="days until the key expires")
        parser.add_argument("--rate-limit", type=int, help="rate limit in requests per minute")
        parser.add_argument(
            "--create-space", action="store_true", help="create the space if it does not exist"
        )

    def handle(
        self, *args: Any, space: str, scopes: str, name: str, create_space: bool, **options: Any
    ) -> None:
        now = timezone.now()
        wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
        unknown = [scope for scope in wanted if scope not in Scope.values]
        if unknown or not wanted:
            raise CommandError(
                _("Unknown scope: %(given)s. Choose from: %(known)s.")
                % {"given": ", ".join(unknown) or "—", "known": ", ".join(Scope.values)}
            )
        found = Space.objects.open().filter(slug=space).first()
        if found is None and not create_space:
            text = _("There is no space named %(name)s. Add --create-space to create it.")
            raise CommandError(text % {"name": space})
        try:
            with transaction.atomic():
                _key, secret = create_key(
                    space=found or _new_space(space),
                    scopes=wanted,
                    name=name,
                    expires_at=_moment(now, options["expires_days"]),
                    rate_limit=options["rate_limit"],
                    actor=SYSTEM,
                    now=now,
                )
        except InvalidArguments as error:
            raise CommandError(str(error)) from None
        self.stdout.write(secret)


def _moment(now: datetime, days: float | None) -> datetime | None:
    try:
        return None if days is None else now + timedelta(days=days)
    except (OverflowError, ValueError):
        raise CommandError(_("That is too many days.")) from None


def _new_space(slug: str) -> Space:
    try:
        validate_slug(slug)
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from None
    try:
        embedder = configured_embedder()
    except EmbeddingError as error:
        raise CommandError(str(error)) from None
    return create_space(slug=slug, name=slug, embedder=embedder, actor=SYSTEM)
