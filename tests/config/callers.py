"""The callers of roles.txt: people with their sessions, and programs with their keys."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts.keys.installation_keys import create_installation_key
from accounts.keys.services import create_key
from accounts.members.services import add_member
from accounts.models import Role, Space, User
from accounts.moderators import make_moderators
from foundation.actors import SYSTEM
from tests.conftest import ALL_SCOPES, ApiClient

KEYS: dict[str, dict[str, Any]] = {
    "read": {"scopes": ["read"]},
    "write": {"scopes": ["write"]},
    "admin": {"scopes": ["admin"]},
    "full": {"scopes": ALL_SCOPES},
    "bound": {"scopes": ["read", "write"], "user_id": "ann"},
}


def person(column: str, space: Space, other: Space) -> User | None:
    """The person of a column; None for nobody."""
    if column == "nobody":
        return None
    if column == "operator":
        return User.objects.create_superuser(column, password=None)
    user = User.objects.create_user(column, is_staff=column == "moderator")
    if column == "moderator":
        user.groups.add(make_moderators())
    else:
        where, role = (other, Role.OWNER) if column == "stranger" else (space, Role(column))
        add_member(space=where, user=user, role=role, actor=SYSTEM, now=timezone.now())
    return user


def secret(column: str, space: Space) -> str | None:
    """The secret of a column's key; None for people."""
    now = timezone.now()
    if column == "install":
        return create_installation_key(actor=SYSTEM, now=now)[1]
    if column not in KEYS:
        return None
    return create_key(space=space, actor=SYSTEM, now=now, **KEYS[column])[1]


class Session(ApiClient):
    """A browser that calls the API with its session."""

    def __init__(self, user: User, space: Space) -> None:
        super().__init__(None)
        self._client = Client(headers={"X-Ebb-Space": space.slug})
        self._client.force_login(user)


def caller(column: str, space: Space, other: Space) -> ApiClient:
    """A program or a browser that calls the API."""
    if (key := secret(column, space)) is not None:
        return ApiClient(key)
    user = person(column, space, other)
    return Session(user, space) if user else ApiClient(None)


@contextmanager
def undone() -> Iterator[None]:
    """Undoes what a call wrote, so that the next caller finds the same rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
