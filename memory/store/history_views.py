"""The history page of the space's memories."""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from functools import partial
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import capfirst
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from accounts.authentication import Access
from accounts.forms import AddressForm, OneOf, SentText
from accounts.pages import PageRequest, space_page
from foundation.http.pagination import Searched, keyset
from foundation.texts.names import MAX_NAME
from memory.models import MemoryEvent
from memory.models.history import Action, HistoryQuerySet
from memory.store.history_labels import named

PAGE_SIZE = 30
LOOKED_AT = 10_000
"""Number of events that one text search examines; the next page continues further back."""
ACTORS = {
    "user": _("people"),
    "key": _("keys"),
    "assessor": _("the assessor"),
    "assistant": _("the assistant"),
    "system": _("Ebb itself"),
}


class _Filters(AddressForm):
    action = OneOf(Action.values)
    actor = SentText(200)
    q = SentText(200)
    user = SentText(MAX_NAME, is_id=True)
    day = forms.DateField(required=False, input_formats=["%Y-%m-%d"])


@require_GET
@space_page("read")
def history(request: PageRequest, access: Access) -> HttpResponse:
    """Show the events, newest first, filtered by action, actor, memory and day."""
    asked = _Filters.read(request.GET)
    events = _filtered(MemoryEvent.objects.in_space(access.space).readable_by(access.reader), asked)
    found = _found(events, asked["q"], request.GET.get("cursor") or None)
    context = {
        "events": found.rows,
        "next": found.following,
        "until": found.until,
        "asked": asked,
        "about": found.rows[0] if found.rows and _names_memory(asked["q"]) else None,
        "has_users": _has_users(access),
        "actions": Action.choices,
        "actors": _actors(asked["actor"]),
    }
    template = "memory/store/_history.html" if request.htmx else "memory/store/history.html"
    return render(request, template, context)


def _has_users(access: Access) -> bool:
    events = MemoryEvent.objects.in_space(access.space).readable_by(access.reader)
    return events.of_users().exists()


def _filtered(events: HistoryQuerySet, asked: dict[str, Any]) -> HistoryQuerySet:
    """Apply the filters that are set."""
    if asked["action"]:
        events = events.filter(action=asked["action"])
    kind, _colon, name = asked["actor"].partition(":")
    if kind in ACTORS:
        events = events.filter(actor_type=kind, **({"actor_name": name} if name else {}))
    if asked["user"]:
        events = events.filter(user_id=asked["user"])
    if asked["day"]:
        day = timezone.make_aware(datetime.combine(asked["day"], time()))
        events = events.filter(at__gte=day, at__lt=day + timedelta(days=1))
    return events


def _names_memory(query: str) -> bool:
    """Return whether the query is an id of a memory, so that all results are about one memory."""
    try:
        MemoryEvent.objects.all().about(query.lower())
    except ValueError:
        return False
    return True


def _found(events: HistoryQuerySet, query: str, cursor: str | None) -> Searched[MemoryEvent]:
    """Return all events, or those of the memory with this id, or of memories that contained this
    text."""
    fitting: Callable[[HistoryQuerySet], HistoryQuerySet] | None = None
    if query:
        try:
            events = events.about(query.lower())
        except ValueError:
            fitting = partial(HistoryQuerySet.saying, text=query)
    return keyset("-at").searched(
        events, fitting, limit=PAGE_SIZE, cursor=cursor, through=LOOKED_AT
    )


def _actors(chosen: str) -> list[tuple[str, Any]]:
    """Return the kinds of actors, and the actor that was chosen by name."""
    kind, _colon, name = chosen.partition(":")
    one = [(chosen, capfirst(named(kind, name)))] if kind in ACTORS and name else []
    return [*ACTORS.items(), *one]
