"""The browsers in which users are logged in: listed and ended on the account page.

Django's sessions decide who is logged in. Each has a `LoginSession`, which says where and when.
"""

from datetime import datetime, timedelta
from typing import Any

from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from memory.errors import NotFound
from memory.models import LoginSession, User

NOTED_EVERY = timedelta(minutes=5)


def note_use(request: HttpRequest, *, now: datetime) -> None:
    """Store when and where the session of this request was used, at most every five minutes."""
    key = request.session.session_key
    if key and cache.add(f"session-noted:{key}", True, NOTED_EVERY.total_seconds()):
        start_session(request, user=request.user, now=now)


def start_session(request: HttpRequest, *, user: Any, now: datetime) -> None:
    """Store the session of a user who has just logged in, or update it."""
    row = LoginSession(
        session_key=request.session.session_key or "",
        user=user,
        agent=request.headers.get("User-Agent", "")[:300].replace("\x00", ""),
        address=request.META.get("REMOTE_ADDR", "")[:45],
        started_at=now,
        seen_at=now,
    )
    LoginSession.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["session_key"],
        update_fields=["user", "agent", "address", "seen_at"],
    )


def open_sessions(user: User, *, now: datetime) -> QuerySet[LoginSession]:
    """Return the sessions in which this user is logged in, the last used first."""
    alive = Session.objects.filter(expire_date__gt=now).values("session_key")
    found = LoginSession.objects.filter(user=user, session_key__in=alive)
    return found.order_by("-seen_at", "-pk")


@transaction.atomic
def end_session(*, user: User, session_id: int, keep: str | None) -> None:
    """Log this browser of the user out. Raises NotFound for an unknown session, another's, and the
    current one, whose key is `keep`."""
    found = LoginSession.objects.filter(user=user, pk=session_id).exclude(session_key=keep)
    if not found.exists():
        raise NotFound("Session not found.")
    _end(found)


@transaction.atomic
def end_other_sessions(*, user: User, keep: str | None) -> None:
    """Log the user out of all browsers except the one whose session has the key `keep`."""
    _end(LoginSession.objects.filter(user=user).exclude(session_key=keep))


@transaction.atomic
def forget_ended(*, now: datetime) -> None:
    """Delete expired sessions and the rows of sessions that have ended."""
    Session.objects.filter(expire_date__lte=now).delete()
    alive = Session.objects.values("session_key")
    LoginSession.objects.exclude(session_key__in=alive).delete()


def _end(found: QuerySet[LoginSession]) -> None:
    Session.objects.filter(session_key__in=found.values("session_key")).delete()
    found.delete()
