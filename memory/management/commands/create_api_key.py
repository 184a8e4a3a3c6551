"""`manage.py create_api_key`: create an API key and print its secret, which is not stored.

With `--installation`, the key belongs to no space; it manages connections and spaces.
"""

from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.keys.installation_keys import create_installation_key
from accounts.keys.services import create_key
from accounts.members.services import add_member
from accounts.models import Role, Scope, Space, User
from foundation.actors import SYSTEM
from foundation.errors import InvalidArguments
from memory.embeddings import EmbeddingError
from memory.embeddings.embedders import configured_embedder
from memory.spaces.services import create_space


class Command(BaseCommand):
    """Create an API key and print it."""

    help = "Create an API key for a space, or for the installation, and print only the key."

    def add_arguments(self, parser: CommandParser) -> None:
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--space", help="the space's short name")
        where.add_argument(
            "--installation",
            action="store_true",
            help="a key for the installation: manages model connections and spaces",
        )
        parser.add_argument("--scopes", default="", help=", ".join(Scope.values))
        parser.add_argument("--name", default="", help="a name for the key")
        parser.add_argument("--user", help="the only user of the space for whom the key may act")
        parser.add_argument("--expires-days", type=float, help="days until the key expires")
        parser.add_argument("--rate-limit", type=int, help="rate limit in requests per minute")
        parser.add_argument(
            "--no-learn",
            action="store_true",
            help="answer and recall for requests with this key, but learn nothing from them",
        )
        parser.add_argument(
            "--create-space", action="store_true", help="create the space if it does not exist"
        )

    def handle(self, *args: Any, installation: bool, **options: Any) -> None:
        try:
            secret = _installation_key(**options) if installation else _key(**options)
        except InvalidArguments as error:
            raise CommandError(str(error)) from None
        self.stdout.write(secret)


def _installation_key(
    *, name: str, expires_days: float | None, rate_limit: int | None, **options: Any
) -> str:
    """Create an installation key and return its secret."""
    others = ("scopes", "user", "no_learn", "create_space")
    if rate_limit is not None or any(options[other] for other in others):
        raise CommandError(_("--installation takes only --name and --expires-days."))
    now = timezone.now()
    expires_at = _moment(now, expires_days)
    return create_installation_key(actor=SYSTEM, now=now, name=name, expires_at=expires_at)[1]


def _key(
    *, space: str, scopes: str, name: str, create_space: bool, expires_days: float | None,
    rate_limit: int | None, user: str | None, no_learn: bool, **options: Any,
) -> str:  # fmt: skip
    """Create a key of a space and return its secret."""
    now = timezone.now()
    found = Space.objects.open().filter(slug=space).first()
    wanted = _scopes(scopes)
    if found is None and not create_space:
        text = _("There is no space named %(name)s. Add --create-space to create it.")
        raise CommandError(text % {"name": space})
    with transaction.atomic():
        return create_key(
            space=found or _new_space(space, now),
            scopes=wanted,
            name=name,
            expires_at=_moment(now, expires_days),
            rate_limit=rate_limit,
            user_id=user,
            learns=not no_learn,
            actor=SYSTEM,
            now=now,
        )[1]


def _scopes(scopes: str) -> list[str]:
    wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
    unknown = [scope for scope in wanted if scope not in Scope.values]
    if unknown or not wanted:
        raise CommandError(
            _("Unknown scope: %(given)s. Choose from: %(known)s.")
            % {"given": ", ".join(unknown) or "—", "known": ", ".join(Scope.values)}
        )
    return wanted


def _moment(now: datetime, days: float | None) -> datetime | None:
    try:
        return None if days is None else now + timedelta(days=days)
    except (OverflowError, ValueError):
        raise CommandError(_("--expires-days is too large. Use a smaller number.")) from None


def _new_space(slug: str, now: datetime) -> Space:
    """Create a space whose owners are the operators: one of them runs this command."""
    try:
        validate_slug(slug)
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from None
    try:
        embedder = configured_embedder()
    except EmbeddingError as error:
        raise CommandError(str(error)) from None
    space = create_space(slug=slug, name=slug, embedder=embedder, actor=SYSTEM)
    for operator in User.objects.filter(is_active=True, is_superuser=True):
        add_member(space=space, user=operator, role=Role.OWNER, actor=SYSTEM, now=now)
    return space
