"""A part of the overview: the timeline of memories, which can be narrowed by time and by type."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_GET

from accounts.authentication import Access
from accounts.forms import AddressForm, OneOf
from accounts.pages import PageRequest, space_page
from memory.models.choices import MemoryType
from memory.retention.timeline import KINDS, Period, Step, count_by_step, events_of, first_day

SHOWN = 8  # events listed below the chart
LABELS = {
    "saved": _("saved"),
    "used": _("used"),
    "changed": pgettext_lazy("a kind of event", "changed"),
    "removed": _("expired or deleted"),
}


class _Filters(AddressForm):
    since = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    until = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    type = OneOf(MemoryType.values)


@dataclass(frozen=True)
class Part:
    """The events of one kind in a column: their share of the tallest column, and its top."""

    kind: str
    y: float
    height: float


@dataclass(frozen=True)
class Column:
    """A step in the chart: its left edge as a share of the width, and its parts from below."""

    step: Step
    x: float
    parts: Sequence[Part]
    total: int


@require_GET
@space_page("read")
def timeline(request: PageRequest, access: Access) -> HttpResponse:
    """Render the timeline by the URL's days, kinds and type, and its newest events."""
    asked = _Filters.read(request.GET)
    kinds = [kind for kind in KINDS if kind in request.GET.getlist("kind")] or list(KINDS)
    space, reader = access.space, access.reader
    now = access.here(timezone.now())
    first = first_day(space=space, reader=reader, now=now)
    days: dict[str, Any] = {"today": now.date(), "first": first, "zone": access.zone}
    period = Period.of(asked["since"] or None, asked["until"] or None, **days)
    events = events_of(
        space=space, reader=reader, period=period, kinds=kinds, memory_type=asked["type"]
    )
    steps = count_by_step(events, period)
    context = {
        "period": period,
        "by_hour": period.step < timedelta(days=1),
        "columns": _columns(steps),
        "width": 1 / len(steps),
        "kinds": [
            (kind, label, kind in kinds, sum(step.counts[kind] for step in steps))
            for kind, label in LABELS.items()
        ],
        "types": MemoryType.choices,
        "type": asked["type"],
        "today": now.date(),
        "is_narrowed": bool(request.GET),
        "events": events.order_by("-at", "-pk")[:SHOWN],
    }
    return render(request, "memory/memories/_timeline.html", context)


def _columns(steps: Sequence[Step]) -> list[Column]:
    totals = [sum(step.counts.values()) for step in steps]
    tallest = max(totals) or 1
    return [
        Column(step, number / len(steps), _parts(step, tallest), total)
        for number, (step, total) in enumerate(zip(steps, totals, strict=True))
    ]


def _parts(step: Step, tallest: int) -> list[Part]:
    """Return the parts of a column, one on the other, without empty ones."""
    parts, below = [], 0.0
    for kind, count in step.counts.items():
        below += count / tallest
        if count:
            parts.append(Part(kind, 1 - below, count / tallest))
    return parts
