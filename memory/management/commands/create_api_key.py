"""`manage.py create_api_key`: a key for another program, printed once and kept nowhere."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug
from django.utils.translation import gettext as _

from memory.actors import SYSTEM
from memory.embeddings import EmbeddingError
from memory.models import Scope, Space
from memory.services.embedders import configured_embedder
from memory.services.keys import create_key
from memory.services.spaces import create_space


class Command(BaseCommand):
    help = "Create an API key for a space and print it, and nothing else."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--space", required=True, help="the space's short name")
        parser.add_argument("--scopes", required=True, help=", ".join(Scope.values))
        parser.add_argument("--name", default="", help="what the key is for")
        parser.add_argument(
            "--create-space", action="store_true", help="make the space if it is missing"
        )

    def handle(
        self, *args: Any, space: str, scopes: str, name: str, create_space: bool, **options: Any
    ) -> None:
        wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
        unknown = [scope for scope in wanted if scope not in Scope.values]
        if unknown or not wanted:
            raise CommandError(
                _("Unknown scope: %(given)s. There are %(known)s.")
                % {"given": ", ".join(unknown) or "—", "known": ", ".join(Scope.values)}
            )
        found = Space.objects.filter(slug=space).first()
        if found is None and not create_space:
            raise CommandError(
                _("There is no space %(name)s; --create-space makes it.") % {"name": space}
            )
        _key, secret = create_key(space=found or _new_space(space), scopes=wanted, name=name)
        self.stdout.write(secret)


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
