"""The browsers in which users are logged in, listed by django-allauth. Django's sessions decide."""

from datetime import datetime, timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.db import transaction
from django.http import HttpRequest

from accounts.models import User
from foundation.errors import NotFound

NOTED_EVERY = timedelta(minutes=5)


def note_use(request: HttpRequest) -> None:
    """Store when and where the session of this request was used, at most every five minutes."""
    key, seconds = request.session.session_key, NOTED_EVERY.total_seconds()
    if key and caches["process"].add(f"session-noted:{key}", True, seconds):
        UserSession.objects.create_from_request(request)


def open_sessions(user: User) -> list[UserSession]:
    """Return the sessions in which this user is logged in, the last used first."""
    found: list[UserSession] = UserSession.objects.purge_and_list(user)
    return sorted(found, key=lambda one: one.last_seen_at, reverse=True)


def end_session(*, user: User, session_id: int, keep: str | None) -> None:
    """Log this browser of the user out. Raises NotFound for an unknown session, another's, and the
    current one, whose key is `keep`."""
    found = UserSession.objects.filter(user=user, pk=session_id).exclude(session_key=keep).first()
    if found is None:
        raise NotFound("Session not found.")
    found.end()


def end_other_sessions(*, user: User, keep: str | None) -> None:
    """Log the user out of all browsers except the one whose session has the key `keep`."""
    for one in UserSession.objects.filter(user=user).exclude(session_key=keep):
        one.end()


@transaction.atomic
def forget_ended(*, now: datetime) -> None:
    """Delete expired sessions and the rows of sessions that have ended."""
    Session.objects.filter(expire_date__lte=now).delete()
    alive = Session.objects.values("session_key")
    UserSession.objects.exclude(session_key__in=alive).delete()
