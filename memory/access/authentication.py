"""Who is calling, for which space, and what they may do there.

A key decides its space. A logged-in person's space is named by the page's address, or for the API
by the header X-Ebb-Space; another's space does not exist for them.
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
        """Raises Forbidden unless the caller has this scope."""
        if scope not in self.scopes:
            raise Forbidden(f"This call needs the scope “{scope}”.")


def access_of_member(user: Any, slug: str | None) -> Access:
    """A person's access to the space of this name, or to their first; raises NotFound."""
    memberships = Membership.objects.select_related("space__embedder").filter(space__closed_at=None)
    if slug is not None:
        memberships = memberships.filter(space__slug=slug)
    membership = memberships.filter(user=user).order_by("pk").first() if user.is_active else None
    if membership is None:
        raise NotFound("Space not found.")
    actor = Actor("user", user.get_username())
    return Access(membership.space, actor, _SCOPES_OF_ROLE[membership.role])


class BearerKey(HttpBearer):
    """`Authorization: Bearer KEY`."""

    def authenticate(self, request: HttpRequest, token: str) -> Access | None:
        key = authenticate(secret=token, now=timezone.now())
        if key is None:
            return None
        return Access(key.space, Actor("key", key.name or key.prefix), frozenset(key.scopes))


class SessionAccess(APIKeyCookie):
    """A browser session, with CSRF."""

    param_name = "sessionid"

    def __call__(self, request: HttpRequest) -> Access | None:
        if not request.user.is_authenticated:
            return None  # before the CSRF check: a stranger is unauthorized, not forbidden
        access: Access | None = super().__call__(request)
        return access

    def authenticate(self, request: HttpRequest, key: str | None) -> Access | None:
        return access_of_member(request.user, request.headers.get("X-Ebb-Space"))


def access_to(request: HttpRequest, scope: str) -> Access:
    """The caller of an API request; raises Forbidden without the scope."""
    access: Access = request.auth  # type: ignore[attr-defined]  # set by ninja's authentication
    access.require(scope)
    return access
