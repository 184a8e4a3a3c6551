"""A part of the overview: everything in a space that needs a person's attention."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from assessor.models import Assessment, State
from memory.model_connections.failures import failing_connections
from memory.models import Memory
from memory.models.memories import MemoryQuerySet
from memory.models.policies import current_policy

NEARLY_FULL = 0.9  # share of the capacity


@dataclass(frozen=True)
class Notice:
    """A sentence with the page where a person can act. `is_bad` marks faults."""

    text: str
    url: str
    icon: str
    is_bad: bool = False


@require_GET
@space_page("read")
def attention(request: PageRequest, access: Access) -> HttpResponse:
    """Render the notices of a space, faults first; nothing if there are none."""
    notices = [*_faults(access), *_memories(access)]
    return render(request, "memory/memories/_attention.html", {"notices": notices})


def _faults(access: Access) -> list[Notice]:
    slug = access.space.slug
    notices = [
        Notice(
            _("Connection down: %(name)s") % {"name": connection.name},
            reverse("models", args=[slug]),
            "warning",
            is_bad=True,
        )
        for connection in failing_connections(access.space)
    ]
    rows = Assessment.objects.in_space(access.space).readable_by(access.reader)
    if failed := rows.filter(state=State.FAILED).count():
        text = ngettext("%(n)d failed assessment", "%(n)d failed assessments", failed)
        url = reverse("assessments", args=[slug], query={"state": State.FAILED.value})
        notices.append(Notice(text % {"n": failed}, url, "warning", is_bad=True))
    return notices


def _memories(access: Access) -> list[Notice]:
    slug = access.space.slug
    rows = Memory.objects.in_space(access.space).readable_by(access.reader)
    notices = []
    if waiting := rows.in_review().count():
        text = ngettext(
            "%(n)d memory waiting for review", "%(n)d memories waiting for review", waiting
        )
        notices.append(Notice(text % {"n": waiting}, reverse("review", args=[slug]), "review"))
    if share := _fullest(rows.live(), current_policy(access.space).document.capacity):
        text = _("Capacity %(share)d%% full") % {"share": share}
        notices.append(Notice(text, reverse("lifetimes_capacity", args=[slug]), "memories"))
    soon = timezone.now() + timedelta(days=7)
    if leaving := rows.live().filter(pinned=False, expires_at__lt=soon).count():
        text = ngettext(
            "%(n)d memory expires within a week", "%(n)d memories expire within a week", leaving
        )
        chosen: dict[str, Any] = {"lifetime": "week", "order": "expires_at"}
        url = reverse("memories", args=[slug], query=chosen)
        notices.append(Notice(text % {"n": leaving}, url, "lifetimes"))
    return notices


def _fullest(live: MemoryQuerySet, capacity: int) -> int:
    """Return the percentage of the capacity of the user with most memories, or 0 if there is
    room."""
    by_user = live.values("user_id").annotate(number=Count("pk")).order_by("-number")
    most = by_user.values_list("number", flat=True).first() or 0
    return most * 100 // capacity if most >= NEARLY_FULL * capacity else 0
