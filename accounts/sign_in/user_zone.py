"""The time zone of a person who logs in: of "today" in their words, and of the times on pages."""

from django.http import HttpRequest

from accounts.models import User
from foundation.errors import FieldError, InvalidArguments
from foundation.moments import checked_zone

COOKIE = "ebb_time_zone"
"""The browser's zone, set by static/ebb/ebb.js."""


def set_zone(*, user: User, name: str) -> None:
    """Set the user's time zone; "" takes it from the browser at the next login. Raises
    InvalidArguments."""
    try:
        checked_zone(name or "UTC")
    except ValueError as error:
        raise InvalidArguments(FieldError("time_zone", str(error))) from None
    User.objects.filter(pk=user.pk).update(time_zone=name)


def take_zone(request: HttpRequest, *, user: User) -> None:
    """Set the user's time zone to the browser's, unless the user has one. A wrong cookie changes
    nothing."""
    name = request.COOKIES.get(COOKIE, "")
    try:
        checked_zone(name)
    except ValueError:
        return
    User.objects.filter(pk=user.pk, time_zone="").update(time_zone=name)
