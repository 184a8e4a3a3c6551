"""Template context of every page: the navigation rail and the space switcher."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memory.access.authentication import Access
from memory.models import Memory, Space

# (url name, label, icon). On a phone, DAILY is below the page, the others are behind "More".
DAILY = (
    ("playground", _("Playground"), "chat"),
    ("overview", _("Overview"), "wave"),
    ("memories", _("Memories"), "memories"),
    ("review", _("Review"), "review"),
)
MORE = (
    ("assessments", _("Assessments"), "check"),
    ("lab", _("Ranking lab"), "lab"),
    ("policy", _("Policy"), "policy"),
    ("lifetimes", _("Lifetimes"), "lifetimes"),
    ("bin", _("Bin & history"), "trash"),
    ("settings", _("Settings"), "settings"),
)
# Pages that belong to another page's entry.
WITHIN = {
    "conversation": "playground",
    "memory": "memories",
    "assessment": "assessments",
    "assessment_judge_again": "assessments",
    "bin_history": "bin",
    "lifetimes_capacity": "lifetimes",
    "embeddings": "settings",
    "keys": "settings",
    "spaces": "settings",
    "members": "settings",
    "models": "settings",
    "account": "settings",
    "transfer": "settings",
    "policy_save": "policy",
    "webhooks": "settings",
    "webhook": "settings",
}


def rail(request: HttpRequest) -> dict[str, Any]:
    """Return the template context: `space`, `spaces`, `rail`, `in_review` (count), and
    permissions.
    """
    access: Access | None = getattr(request, "access", None)
    if access is None:
        return {"space": None, "spaces": [], "rail": {}}
    space = access.space
    daily, more = (_entries(request, space, pages) for pages in (DAILY, MORE))
    entries = {
        "daily": daily,
        "more": more,
        "within_more": any(entry["current"] for entry in more),
    }
    return {
        "space": space,
        "spaces": Space.objects.of_member(request.user),
        "rail": entries,
        "in_review": Memory.objects.in_space(space).in_review().count(),
        "may_write": "write" in access.scopes,
        "may_steer": "admin" in access.scopes,
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
