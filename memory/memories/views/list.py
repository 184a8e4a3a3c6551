"""Pages of the list of memories, with its filters and its search."""

from collections import Counter
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.db.models import F
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.limits.rate_limits import CallKind, count_call
from accounts.pages import PageRequest, space_page
from foundation.http.pagination import clock_of, keyset
from foundation.readers import Reader
from memory.embeddings import EmbeddingError
from memory.formulas.rounding import rounded_parts
from memory.memories import bulk
from memory.memories.filters import Filters
from memory.memories.views.overview import BAND_NAMES
from memory.models import Memory, Status
from memory.models.choices import MemoryType
from memory.models.memories import MemoryQuerySet
from memory.models.policies import Policy, current_policy
from memory.policy import DecayPolicy
from memory.recall.recall import SearchRequest, recall
from memory.recall.results import Result

PAGE_SIZE = 30
SEARCH_RESULTS = 20
COUNTED = 1000
"""Maximum up to which matches are counted."""
WEIGHED = 500
"""Number of memories with the highest base importance that are read to bound the first page."""
TAGS_OF, TAGS_SHOWN = 2000, 100
_COLUMNS = {"created_at", "expires_at", "use_count"}
CHOICES = {
    "types": MemoryType.choices,
    "bands": BAND_NAMES.items(),
    "ages": {
        "day": _("last day"),
        "week": _("last 7 days"),
        "month": _("last 30 days"),
        "older": _("older than 30 days"),
        "year": _("older than a year"),
    }.items(),
    "lifetimes": {
        "day": _("expires within a day"),
        "week": _("expires within 7 days"),
        "month": _("expires within 30 days"),
        "later": _("expires later"),
        "permanent": _("kept forever"),
        "pinned": _("pinned"),
    }.items(),
    "statuses": {
        Status.LIVE.value: pgettext_lazy("memory", "active"),
        Status.REVIEW.value: _("sent to review"),
        Status.BINNED.value: _("in the bin"),
    }.items(),
    "orders": {
        "-created_at": _("newest first"),
        "-current_importance": _("most important now"),
        "expires_at": _("expires next"),
        "-use_count": _("most used"),
    }.items(),
}


@require_GET
@space_page("read")
def memories(request: PageRequest, access: Access) -> HttpResponse:
    """Show memories by the URL's filters and order, or the results of a search with their match."""
    asked = Filters.of(request.GET)
    cursor = request.GET.get("cursor") or None
    fragment = "memory/memories/_list_rows.html" if cursor else "memory/memories/_list_found.html"
    template = fragment if request.htmx else "memory/memories/list.html"
    response = render(request, template, listed(access, asked, cursor))
    if request.htmx and not cursor:
        response["HX-Push-Url"] = f"{request.path}?{asked.address}".rstrip("?")
    return response


@require_GET
@space_page("read")
def tags(request: PageRequest, access: Access) -> HttpResponse:
    """Render a fragment: the tags of the newest memories, most frequent first."""
    newest = (
        Memory.objects.in_space(access.space)
        .readable_by(access.reader)
        .live()
        .order_by("-created_at", "-pk")
    )
    counted = Counter(tag for row in newest.values_list("tags", flat=True)[:TAGS_OF] for tag in row)
    known = [tag for tag, _count in counted.most_common(TAGS_SHOWN)]
    return render(request, "memory/memories/_tags.html", {"tags": known})


def listed(access: Access, asked: Filters, cursor: str | None = None) -> dict[str, Any]:
    """Return the context of templates/memory/memories/_list.html."""
    policy = current_policy(access.space)
    rows = Memory.objects.in_space(access.space).readable_by(access.reader)
    context = CHOICES | {
        "asked": asked,
        "has_users": rows.of_users().exists(),
        "policy": policy.document,
        "total": rows.live().count(),
        "may_choose": "write" in access.scopes and asked.status == Status.LIVE,
    }
    try:
        if asked.is_search:
            now = access.here(timezone.now())
            count_call(access, CallKind.SEARCH, now=now)
            return context | _found(access, asked, policy.document.decay, now)
        return context | _paged(rows, asked, policy, cursor)
    except EmbeddingError as error:
        return context | {"hits": [], "error": str(error)}


def _paged(
    space_rows: MemoryQuerySet, asked: Filters, policy: Policy, cursor: str | None
) -> dict[str, Any]:
    now = clock_of(cursor, default=timezone.now())
    rows = asked.narrowed(space_rows, decay=policy.document.decay, now=now)
    if asked.q:
        rows = rows.saying(asked.q)
    fitting = rows.values("pk")[: COUNTED + 1].count() if asked.is_narrow and not cursor else None
    if asked.order == "-current_importance" and not cursor:
        rows = _heaviest(rows)
    # An index with few columns gives the order; only the rows of this page are read whole.
    few = rows.only("pk", *({asked.order.lstrip("-")} & _COLUMNS))
    places, following = keyset(asked.order).page(few, limit=PAGE_SIZE, cursor=cursor, as_of=now)
    hits = [{"memory": memory} for memory in space_rows.whole(places)]
    return {"hits": hits, "next": following, "fitting": fitting, "counted": COUNTED}


def _heaviest(rows: MemoryQuerySet) -> MemoryQuerySet:
    """Leave out rows that cannot be on the first page, by the base importance, which has an index.

    A memory's importance now never exceeds its base.
    """
    some = rows.order_by("-importance").values_list(F("current_importance"))[:WEIGHED]
    weights = sorted((weight for (weight,) in some), reverse=True)
    return rows.filter(importance__gte=weights[PAGE_SIZE]) if len(weights) > PAGE_SIZE else rows


def _found(access: Access, asked: Filters, decay: DecayPolicy, now: datetime) -> dict[str, Any]:
    """Return the best results of a search among the memories that fit the filters."""
    reader = access.reader
    if asked.user and reader.everyone:
        reader = Reader.exactly(asked.user)
    found = recall(
        access.space,
        SearchRequest(
            asked.q,
            limit=SEARCH_RESULTS,
            memory_types=[asked.type] if asked.type else [],
            tags=[asked.tag] if asked.tag else [],
            where=asked.rest(decay=decay, now=now),
            reader=reader,
            each_once=False,  # the page changes and deletes single rows
        ),
        now=now,
    )
    least = found.policy.document.recall.min_relevance
    hits = [
        {
            "memory": result.memory,
            "match": result.match,
            "signals": _signals(result),
            "is_weak": result.relevance < least,
        }
        for result in sorted(found.results, key=lambda result: result.relevance < least)
    ]
    return {"hits": hits, "took_ms": found.took_ms}


def _signals(result: Result) -> dict[str, dict[str, float]]:
    """Return the context of templates/_signals.html."""
    parts = rounded_parts(result.contributions, result.score)
    signals = {
        name: {"value": value, "contribution": parts.get(name, 0.0)}
        for name, value in result.signals.items()
    }
    more = {name: {"contribution": parts[name]} for name in parts if name not in signals}
    return signals | more


@require_POST
@space_page("write")
def move_to_bin(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Move a memory to the bin; the answer offers an undo of exactly that."""
    memory = get_object_or_404(
        Memory.objects.in_space(access.space).readable_by(access.reader), pk=memory_id
    )
    actor = access.actor.in_action()
    gone = bulk.delete_memories(
        space=access.space, memory_ids=[memory.pk], actor=actor, now=timezone.now()
    )
    undo = reverse("memories_undo", args=[access.space.slug, actor.action_id]) if gone else ""
    context = {"undo_url": undo}
    return render(request, "memory/memories/_binned_card.html", context | _counted(request, access))


def _counted(request: PageRequest, access: Access) -> dict[str, Any]:
    """Return the context above the list that the request comes from; empty above search results,
    which have no count.
    """
    shown = urlsplit(request.htmx.current_url or "")
    asked = Filters.of(QueryDict(shown.query))
    if shown.path != reverse("memories", args=[access.space.slug]) or asked.is_search:
        return {}
    return listed(access, asked)


@require_POST
@space_page("write")
def pin(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Pin or unpin a memory, as the pressed button says, and render the memory again.

    A toggle would be wrong: another user may have pinned the memory since the button was rendered.
    """
    bulk.pin_memories(
        space=access.space,
        memory_ids=[memory_id],
        pinned=request.POST.get("pinned") == "yes",
        actor=access.actor,
        now=timezone.now(),
    )
    rows = Memory.objects.in_space(access.space).readable_by(access.reader).live().defer("search")
    memory = get_object_or_404(rows, pk=memory_id)
    context = {"memory": memory, "policy": current_policy(access.space).document}
    return render(request, "memory/memories/_card.html", context)
