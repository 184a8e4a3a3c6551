"""The overview page: a space in numbers, each linked to its list."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_GET

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from memory.models import Memory, MemoryEvent
from memory.models.choices import MemoryType
from memory.retention.charts import stacked
from memory.retention.forecast import room_for
from memory.retention.overview import KINDS, changes_by_kind
from memory.retention.overview import overview as space_overview

BAND_NAMES = {
    "critical": _("critical, from 0.9"),
    "important": _("important, from 0.7"),
    "medium": _("medium, from 0.5"),
    "low": _("low, from 0.3"),
    "little": _("very low, below 0.3"),
}

KIND_NAMES = {
    "saved": _("saved"),
    "used": _("used"),
    "changed": pgettext_lazy("a kind of event", "changed"),
    "removed": _("expired or deleted"),
}
SHOWN = 8  # events listed below the timeline


@dataclass(frozen=True)
class Bar:
    """The number of memories of one kind; `share` is relative to the largest kind, 0..1."""

    key: str
    label: str
    count: int
    share: float


@require_GET
@space_page("read")
def overview(request: PageRequest, access: Access) -> HttpResponse:
    """Show active memories, recent changes and memories that expire soon."""
    found = space_overview(
        space=access.space, reader=access.reader, now=access.here(timezone.now())
    )
    live = Memory.objects.in_space(access.space).readable_by(access.reader).live()
    room = room_for(live, found.capacity)["room"]
    context = {
        "found": found,
        "used_capacity": 1 - room / found.capacity,
        "room": room,
        "has_users": found.capacity - room != found.live,
        "types": _bars(found.by_type, dict(MemoryType.choices)),
        "bands": _bars(found.by_importance, BAND_NAMES),
        "is_empty": not any(found.by_status.values()),
    }
    return render(request, "memory/memories/overview.html", context)


@require_GET
@space_page("read")
def timeline(request: PageRequest, access: Access) -> HttpResponse:
    """Render the changes of the last 30 days by kind, and the newest of them."""
    now = access.here(timezone.now())
    days = changes_by_kind(space=access.space, reader=access.reader, now=now)
    totals = {kind: sum(counts[kind] for counts in days.values()) for kind in KIND_NAMES}
    events = MemoryEvent.objects.in_space(access.space).readable_by(access.reader)
    context = {
        "bars": stacked(days),
        "days": [(day, counts.values()) for day, counts in days.items() if any(counts.values())],
        "kinds": [(kind, label, totals[kind]) for kind, label in KIND_NAMES.items()],
        "events": events.filter(action__in=list(KINDS)).order_by("-at", "-pk")[:SHOWN],
    }
    return render(request, "memory/memories/_timeline.html", context)


def _bars(counts: Mapping[str, int], labels: Mapping[str, Any]) -> list[Bar]:
    largest = max(counts.values()) or 1
    return [Bar(key, labels[key], count, count / largest) for key, count in counts.items()]
