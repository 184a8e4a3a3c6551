"""The rights of people, by account and role in a space, and of programs, by key.

Pages, the APIs and the admin ask these functions. No other code reads the flags of an account.

    operator    manages the installation: spaces, connections, models, accounts, installation keys
    moderator   opens the admin, and there does with memories what the group “moderators” allows
    member      owner, editor or viewer of one space
    key         has scopes in one space; may be bound to one user
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import ApiKey, Role, Scope
from foundation.errors import Forbidden

SCOPES: dict[str, frozenset[str]] = {
    Role.OWNER: frozenset({Scope.READ, Scope.WRITE, Scope.ADMIN}),
    Role.EDITOR: frozenset({Scope.READ, Scope.WRITE}),
    Role.VIEWER: frozenset({Scope.READ}),
}
"""The scopes of each role in its space."""


def may_operate(user: Any) -> bool:
    """Return True for operators: active accounts with the superuser status. Staff status and
    permissions do not suffice, because moderators have them."""
    return bool(user.is_active and user.is_superuser)


def may_open_admin(user: Any) -> bool:
    """Return True for operators and moderators."""
    return may_operate(user) or bool(user.is_active and user.is_staff)


def is_moderator(user: Any) -> bool:
    """Return True for accounts that open the admin and do not operate the installation."""
    return may_open_admin(user) and not may_operate(user)


@dataclass(frozen=True)
class Grant:
    """The rights of a key: its scopes, its end, its rate and whether it learns."""

    scopes: Iterable[str]
    expires_at: datetime | None = None
    rate_limit: int | None = None
    learns: bool = True


def check_grant(scopes: Iterable[str], giver: ApiKey | None, grant: Grant) -> None:
    """Raise Forbidden if a key would allow more than its giver has. The giver has these scopes; it
    is a key, or None for a person."""
    for scope in grant.scopes:
        if scope not in scopes:
            raise Forbidden(f"You cannot grant the scope “{scope}” because you do not have it.")
    if giver is None:
        return
    if _exceeds(grant.expires_at, giver.expires_at):
        raise Forbidden("A key cannot grant a key that expires later than itself.")
    if _exceeds(grant.rate_limit, giver.rate_limit):
        raise Forbidden("A key cannot grant a key with a higher rate limit than its own.")
    if grant.learns and not giver.learns:
        raise Forbidden("A key with learning off cannot grant a key with learning on.")


def _exceeds(asked: Any, own: Any) -> bool:
    """Return True if the asked limit is wider than one's own; None is no limit."""
    return own is not None and (asked is None or asked > own)
