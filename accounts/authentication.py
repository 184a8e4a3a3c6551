"""Authentication of callers: a key or a logged-in user, a space, and the caller's scopes.

A key belongs to one space. A logged-in user names the space in the page's address or, in API calls,
in the header X-Ebb-Space. A space that the user is not a member of raises NotFound.

An installation key belongs to no space. Only calls that begin with `operator_of` accept it;
`access_to` refuses it.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja.security import APIKeyCookie, HttpBearer

from accounts import roles
from accounts.keys.installation_keys import authenticate_installation
from accounts.keys.services import authenticate
from accounts.models import ApiKey, Membership, Role, Scope, Space
from foundation.actors import Actor
from foundation.errors import FieldError, Forbidden, InvalidArguments, NotFound
from foundation.moments import in_zone, plausible, spoken, stored_zone, zone_called, zone_of
from foundation.readers import EVERYONE, SHARED, Reader
from foundation.texts.names import ANYBODY, checked_user

USER_HEADER = "X-Ebb-User"
# Open WebUI forwards the address of the person who writes (ENABLE_FORWARD_USER_INFO_HEADERS).
OPEN_WEBUI_USER_HEADER = "X-OpenWebUI-User-Email"

LEARN_HEADER = "X-Ebb-Learn"
ZONE_HEADER = "X-Ebb-Timezone"


@dataclass(frozen=True)
class Access:
    """A caller in a space. `reader` is the user for whom the call acts; `bound_to` is the only user
    for whom this caller may act, or None. `caller` names the key or the person uniquely, for rate
    limits. `key` is None for a person.

    `zone` is the speaker's time zone, unless a time or the body names another one: of the header
    X-Ebb-Timezone, of the user's setting, of the space, or UTC."""

    space: Space
    actor: Actor
    scopes: frozenset[str]
    caller: str
    reader: Reader = SHARED
    bound_to: str | None = None
    learns: bool = True
    """False if the request or its key turned learning off."""
    key: ApiKey | None = None
    zone: tzinfo = UTC

    def here(self, now: datetime, zone: str | None = None) -> datetime:
        """Return the moment in the speaker's zone; the body may name it. Raises
        InvalidArguments."""
        try:
            return in_zone(now, zone_called(str(zone)) if zone else self.zone)
        except ValueError as error:
            raise InvalidArguments(FieldError("timezone", str(error))) from None

    def said(
        self,
        given: datetime | None,
        *,
        now: datetime,
        zone: str | None = None,
        field: str = "created_at",
    ) -> datetime:
        """Return when something was said, in the speaker's zone; now if no time is given. Raises
        InvalidArguments for a time that is not plausible."""
        here = self.here(now, zone)
        try:
            return here if given is None else plausible(spoken(given, zone_of(here)), now)
        except ValueError as error:
            raise InvalidArguments(FieldError(field, str(error))) from None

    @property
    def owner(self) -> str | None:
        """The user to whom new rows belong, None for shared ones. Raises InvalidArguments if the
        call acts for everybody."""
        if self.reader.everyone:
            raise InvalidArguments(FieldError("user_id", "must name one user here"))
        return self.reader.user_id

    @property
    def person(self) -> str | None:
        """The user who speaks: the one that the call names, else the member who is logged in. None
        if a program names nobody."""
        member = self.actor.name if self.actor.type == "user" else None
        return self.reader.user_id or member

    def acting_for(self, name: str | None) -> "Access":
        """Return the access for this user; None means no user in particular, “*” everybody.

        Raises InvalidArguments for other texts, Forbidden if the caller may not name this user.
        """
        if self.bound_to is not None:
            if name not in (None, self.bound_to):
                raise Forbidden("This key acts for one user, but the request names another one.")
            return replace(self, reader=Reader(self.bound_to))
        if name == ANYBODY:
            self.require(Scope.ADMIN)
            return replace(self, reader=EVERYONE)
        try:
            return replace(self, reader=Reader(None if name is None else checked_user(name)))
        except ValueError as error:
            raise InvalidArguments(FieldError("user_id", str(error))) from None

    def require(self, scope: str) -> None:
        """Raise Forbidden unless the caller has this scope."""
        if scope not in self.scopes:
            raise Forbidden(f"This call needs the scope “{scope}”.")


@dataclass(frozen=True)
class InstallationAccess:
    """A caller who manages the installation's connections and spaces."""

    actor: Actor


def access_of_member(user: Any, slug: str | None) -> Access:
    """Return a user's access to the space with this slug, or to their first space.

    Raises NotFound if the user is not a member of it; for moderators, who know all spaces,
    Forbidden.
    """
    memberships = Membership.objects.select_related("space__embedder").filter(space__closed_at=None)
    if slug is not None:
        memberships = memberships.filter(space__slug=slug)
    membership = memberships.filter(user=user).order_by("pk").first() if user.is_active else None
    if membership is None:
        if roles.is_moderator(user):
            raise Forbidden("Moderators work in the administration only.")
        raise NotFound("Space not found.")
    name = membership.name or user.get_username()
    bound_to = name if membership.role == Role.VIEWER else None
    scopes = roles.SCOPES[membership.role]
    actor, caller = Actor("user", name), f"user:{user.pk}"
    space, reader = membership.space, Reader(bound_to)
    zone = stored_zone(user.time_zone or space.time_zone)
    return Access(space, actor, scopes, caller, reader, bound_to, zone=zone)


class BearerKey(HttpBearer):
    """Authentication by `Authorization: Bearer KEY`."""

    def authenticate(self, request: HttpRequest, token: str) -> Access | InstallationAccess | None:
        """Return the access of the key with this secret, or None."""
        now = timezone.now()
        if found := authenticate_installation(secret=token, now=now):
            return InstallationAccess(Actor("key", found.name or found.prefix))
        key = authenticate(secret=token, now=now)
        if key is None:
            return None
        actor, scopes = Actor("key", key.name or key.prefix), frozenset(key.scopes)
        reader, caller = Reader(key.user_id), f"key:{key.pk}"
        zone = stored_zone(key.space.time_zone)
        return Access(
            key.space, actor, scopes, caller, reader, key.user_id, key.learns, key, zone=zone
        )


class SessionAccess(APIKeyCookie):
    """Authentication by browser session, with CSRF protection."""

    param_name = "sessionid"

    def __call__(self, request: HttpRequest) -> Access | None:
        if not request.user.is_authenticated:
            return None  # before the CSRF check, so that the answer is 401, not 403
        access: Access | None = super().__call__(request)
        return access

    def authenticate(self, request: HttpRequest, key: str | None) -> Access | None:
        """Return the user's access to the space in X-Ebb-Space; raises NotFound and Forbidden."""
        return access_of_member(request.user, request.headers.get("X-Ebb-Space"))


class OperatorSession(SessionAccess):
    """Authentication by the browser session of an operator."""

    def authenticate(  # type: ignore[override]  # an operator needs no space
        self, request: HttpRequest, key: str | None
    ) -> InstallationAccess:
        """Return the operator's access; raises Forbidden for other users."""
        if not roles.may_operate(request.user):
            raise Forbidden("Only operators may use this endpoint.")
        return InstallationAccess(Actor("user", request.user.get_username()))


def access_to(request: HttpRequest, scope: str, user_id: str | None = None) -> Access:
    """Return the access of an API request's caller, for the user that the request names: in its
    body (`user_id`), in its query or in the header X-Ebb-User.

    Raises Forbidden without the scope and for an installation key, InvalidArguments if the request
    names two users.
    """
    access = space_access(request.auth)  # type: ignore[attr-defined]  # set by ninja's authentication
    access.require(scope)
    acting = access.acting_for(_named(request, user_id))
    return in_zone_of(request, replace(acting, learns=acting.learns and _may_learn(request)))


def in_zone_of(request: HttpRequest, access: Access) -> Access:
    """Return the access in the time zone of the header X-Ebb-Timezone, if there is one; raises
    InvalidArguments."""
    name = request.headers.get(ZONE_HEADER)
    try:
        return replace(access, zone=zone_called(name)) if name else access
    except ValueError as error:
        raise InvalidArguments(FieldError(ZONE_HEADER, str(error))) from None


def _may_learn(request: HttpRequest) -> bool:
    """Return whether the header X-Ebb-Learn allows learning from the request; raises
    InvalidArguments.
    """
    wish = request.headers.get(LEARN_HEADER, "on").strip().casefold()
    if wish not in {"on", "off"}:
        raise InvalidArguments(FieldError(LEARN_HEADER, "must be on or off"))
    return wish == "on"


def _named(request: HttpRequest, user_id: str | None) -> str | None:
    return one_user(user_id, request.GET.get("user_id"), user_in_header(request))


def one_user(*given: str | None) -> str | None:
    """Return the only user among these, or None; raises InvalidArguments if there are two."""
    names = set(given) - {None}
    if len(names) > 1:
        raise InvalidArguments(FieldError("user_id", "the request names two users"))
    return next(iter(names), None)


def user_in_header(request: HttpRequest) -> str | None:
    """Return the user named by X-Ebb-User, or otherwise by Open WebUI's header, or None. Servers
    read headers as Latin-1, clients write them as UTF-8.
    """
    text = request.headers.get(USER_HEADER) or request.headers.get(OPEN_WEBUI_USER_HEADER)
    try:
        return text.encode("latin-1").decode() if text else None
    except UnicodeError:
        return text


def space_access(access: Access | InstallationAccess) -> Access:
    """Return the access if it belongs to a space; raises Forbidden for an installation key."""
    if isinstance(access, InstallationAccess):
        raise Forbidden(
            "An installation key manages connections and spaces only. Use a key of the space."
        )
    return access


def operator_of(request: HttpRequest) -> Actor:
    """Return the caller of an installation's endpoint; raises Forbidden for a space's key."""
    access = request.auth  # type: ignore[attr-defined]  # set by ninja's authentication
    if not isinstance(access, InstallationAccess):
        raise Forbidden(
            "A space's key cannot use this endpoint. Create an installation key with "
            "“manage.py create_api_key --installation”."
        )
    return access.actor
