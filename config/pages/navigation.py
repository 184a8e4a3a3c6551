"""Template context of every page: the navigation rail and the space switcher."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts import roles
from accounts.authentication import Access
from accounts.models import Space
from accounts.views.settings import PAGES as SETTINGS
from assessor.models import Assessment, State
from memory.models import Memory

SPACES_LISTED = 12
"""Number of spaces that the switcher lists; a search finds the others."""

# (url name, label, icon). On a phone, DAILY is below the page, the others are behind "More".
DAILY = (
    ("playground", _("Playground"), "chat"),
    ("overview", _("Overview"), "wave"),
    ("memories", _("Memories"), "memories"),
    ("review", _("Review"), "review"),
)
MORE = (
    ("digest", _("Digest"), "event"),
    ("assessments", _("Assessments"), "check"),
    ("lab", _("Ranking lab"), "lab"),
    ("policy", _("Policy"), "policy"),
    ("lifetimes", _("Lifetimes"), "lifetimes"),
    ("bin", _("Bin and history"), "trash"),
    ("settings", _("Settings"), "settings"),
)
# Pages that belong to another page's entry.
WITHIN = {
    "conversation": "playground",
    "memory": "memories",
    "consolidation": "review",
    "assessment": "assessments",
    "assessment_reassess": "assessments",
    "bin_history": "bin",
    "lifetimes_capacity": "lifetimes",
    "embeddings": "settings",
    "connect": "settings",
    "keys": "settings",
    "spaces": "settings",
    "members": "settings",
    "models": "settings",
    "connection_form": "settings",
    "usage": "settings",
    "account": "settings",
    "transfer": "settings",
    "policy_save": "policy",
    "webhooks": "settings",
    "webhook": "settings",
}


def rail(request: HttpRequest) -> dict[str, Any]:
    """Return the template context: `space`, `spaces` (of the switcher, and one more if there are
    more), `rail`, `settings_pages`, the counts of the badges, and permissions.
    """
    access: Access | None = getattr(request, "access", None)
    if access is None:
        return {"space": None, "spaces": [], "rail": {}, **_duties(request)}
    space = access.space
    in_review, failed = _counts(access)
    daily, more = (_entries(request, space, pages) for pages in (DAILY, MORE))
    spaces = Space.objects.of_member(request.user).order_by("name", "pk")
    entries = {
        "daily": daily,
        "more": more,
        "within_more": any(entry["current"] for entry in more),
    }
    return {
        "space": space,
        "spaces": spaces[: SPACES_LISTED + 1],  # read only by pages with the rail
        "spaces_listed": SPACES_LISTED,
        "rail": entries,
        "settings_pages": _settings_pages(request, access),
        "in_review": in_review,
        "failed_assessments": failed,
        "may_write": "write" in access.scopes,
        "may_report": "write" not in access.scopes,
        "may_steer": "admin" in access.scopes,
        **_duties(request),
    }


def _duties(request: HttpRequest) -> dict[str, Any]:
    """Return functions, which templates call: an async view must not load the user here."""
    user = getattr(request, "user", AnonymousUser())
    return {
        "may_operate": partial(roles.may_operate, user),
        "may_open_admin": partial(roles.may_open_admin, user),
    }


def _entries(
    request: HttpRequest, space: Space, pages: Iterable[tuple[str, object, str]]
) -> list[dict[str, Any]]:
    current = (request.resolver_match and request.resolver_match.url_name) or ""
    return [
        {
            "url": reverse(name, args=[space.slug]),
            "label": label,
            "icon": icon,
            "name": name,
            "current": name == WITHIN.get(current, current),
        }
        for name, label, icon in pages
    ]


def _counts(access: Access) -> tuple[int, int]:
    """Return the numbers of memories in review and of failed assessments. One query."""
    space, reader = access.space, access.reader
    waiting = Memory.objects.in_space(space).readable_by(reader).in_review()
    failed = Assessment.objects.in_space(space).readable_by(reader).filter(state=State.FAILED)
    numbers = map(_count, (waiting, failed))
    in_review, failures = Space.objects.filter(pk=space.pk).values_list(*numbers).get()
    return in_review, failures


def _count(rows: QuerySet[Any]) -> Coalesce:
    """An expression for the number of these rows of one space."""
    counted = rows.order_by().values("space").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)


def _settings_pages(request: HttpRequest, access: Access) -> list[dict[str, Any]]:
    """Return the settings pages that the user may open. A page below one of them belongs to it."""
    pages: list[dict[str, Any]] = []
    for name, icon, label, _text, scope in SETTINGS:
        if scope in access.scopes:
            url = reverse(name, args=[access.space.slug])
            current = request.path.startswith(url)
            pages.append({"url": url, "label": label, "icon": icon, "current": current})
    return pages
