"""Authentication of callers: a key or a logged-in user, a space, and the caller's scopes.

A key belongs to one space. A logged-in user names the space in the page's address or, in API calls,
in the header X-Ebb-Space. A space of other users raises NotFound.
"""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja.security import APIKeyCookie, HttpBearer

from memory.access.keys import authenticate
from memory.actors import Actor
from memory.errors import Forbidden, NotFound
from memory.models import Membership, Role, Scope, Space

_SCOPES_OF_ROLE: dict[str, frozenset[str]] = {
    Role.OWNER: frozenset({Scope.READ, Scope.WRITE, Scope.ADMIN}),
    Role.EDITOR: frozenset({Scope.READ, Scope.WRITE}),
    Role.VIEWER: frozenset({Scope.READ}),
}


@dataclass(frozen=True)
class Access:
    """A caller in a space."""

    space: Space
    actor: Actor
    scopes: frozenset[str]

    def require(self, scope: str) -> None:
        """Raise Forbidden unless the caller has this scope."""
        if scope not in self.scopes:
            raise Forbidden(f"This call needs the scope “{scope}”.")


def access_of_member(user: Any, slug: str | None) -> Access:
    """Return a user's access to the space with this slug, or to their first; raises NotFound."""
    memberships = Membership.objects.select_related("space__embedder").filter(space__closed_at=None)
    if slug is not None:
        memberships = memberships.filter(space__slug=slug)
    membership = memberships.filter(user=user).order_by("pk").first() if user.is_active else None
    if membership is None:
        raise NotFound("Space not found.")
    actor = Actor("user", user.get_username())
    return Access(membership.space, actor, _SCOPES_OF_ROLE[membership.role])


class BearerKey(HttpBearer):
    """Authentication by `Authorization: Bearer KEY`."""

    def authenticate(self, request: HttpRequest, token: str) -> Access | None:
        """Return the access of the key with this secret, or None."""
        key = authenticate(secret=token, now=timezone.now())
        if key is None:
            return None
        return Access(key.space, Actor("key", key.name or key.prefix), frozenset(key.scopes))


class SessionAccess(APIKeyCookie):
    """Authentication by browser session, with CSRF protection."""

    param_name = "sessionid"

    def __call__(self, request: HttpRequest) -> Access | None:
        if not request.user.is_authenticated:
            return None  # before the CSRF check, so that the answer is 401, not 403
        access: Access | None = super().__call__(request)
        return access

    def authenticate(self, request: HttpRequest, key: str | None) -> Access | None:
        """Return the user's access to the space in X-Ebb-Space; raises NotFound."""
        return access_of_member(request.user, request.headers.get("X-Ebb-Space"))


def access_to(request: HttpRequest, scope: str) -> Access:
    """Return the access of an API request's caller; raises Forbidden without the scope."""
    access: Access = request.auth  # type: ignore[attr-defined]  # set by ninja's authentication
    access.require(scope)
    return access
