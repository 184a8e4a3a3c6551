"""The recycle bin page: listing, restoring and purging memories."""

from typing import Any
from uuid import UUID

from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from accounts.authentication import Access
from accounts.forms import AddressForm, OneOf, SentText
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict, NotFound
from foundation.http.pagination import keyset
from foundation.texts.names import MAX_NAME
from memory.models import BinReason, Memory
from memory.models.dated import purge_at
from memory.models.policies import current_policy
from memory.retention import recycle_bin
from memory.retention.charts import stacked
from memory.retention.overview import removals_by_reason
from memory.retention.removals import with_removals
from memory.selection import selected_ids

PAGE_SIZE = 30
LOOKED_AT = 10_000
"""Number of memories that one text search examines; the next page continues further back."""


class _Filters(AddressForm):
    reason = OneOf(BinReason.values)
    q = SentText(200)
    user = SentText(MAX_NAME, is_id=True)


@require_GET
@space_page("read")
def recycle_bin_page(request: PageRequest, access: Access) -> HttpResponse:
    """Show the memories in the bin, latest deletion first, or the next part of the list."""
    context = _listed(request, access)
    if request.htmx:
        more = "cursor" in request.GET
        return render(
            request,
            "memory/retention/_bin_rows.html" if more else "memory/retention/_bin.html",
            context,
        )
    return render(request, "memory/retention/bin.html", context)


@require_GET
@space_page("read")
def chart(request: PageRequest, access: Access) -> HttpResponse:
    """Return a fragment: a chart of removals by day and reason."""
    now = access.here(timezone.now())
    days = removals_by_reason(space=access.space, reader=access.reader, now=now)
    context = {
        "bars": stacked(days),
        "days": [
            (day, list(counts.values())) for day, counts in days.items() if any(counts.values())
        ],
        "went": sum(sum(counts.values()) for counts in days.values()),
        "reasons": BinReason.choices,
    }
    return render(request, "memory/retention/_bin_chart.html", context)


@require_POST
@space_page("write")
def restore(request: PageRequest, access: Access) -> HttpResponse:
    """Restore the selected memories, all or none; the answer offers to undo it."""
    ids, actor = selected_ids(request.POST), access.actor.in_action()
    if not ids:
        return _done(request, access, _("Select memories to restore first."), "warning")
    try:
        recycle_bin.restore_memories(
            space=access.space, memory_ids=ids, actor=actor, now=timezone.now()
        )
    except (NotFound, Conflict):
        return _done(
            request, access, _("One of the selected memories is no longer in the bin."), "warning"
        )
    undo = reverse("bin_put_back", args=[access.space.slug, actor.action_id])
    text = ngettext("%(n)d memory restored.", "%(n)d memories restored.", len(ids))
    return _done(request, access, text % {"n": len(ids)}, "success", undo_url=undo)


@require_POST
@space_page("write")
def put_back(request: PageRequest, access: Access, action_id: UUID) -> HttpResponse:
    """Undo `restore`: return the memories restored by this action to the bin."""
    recycle_bin.undo_restore(
        space=access.space, action_id=action_id, actor=access.actor, now=timezone.now()
    )
    return HttpResponseClientRefresh()


@require_POST
@space_page("write")
def purge(request: PageRequest, access: Access) -> HttpResponse:
    """Purge the selected memories: their texts are erased, in the history too. With `with_sources`
    the messages that they were learned from are redacted."""
    ids = selected_ids(request.POST)
    if not ids:
        return _done(request, access, _("Select memories to purge first."), "warning")
    try:
        recycle_bin.purge_memories(
            space=access.space,
            memory_ids=ids,
            actor=access.actor,
            now=timezone.now(),
            with_sources="with_sources" in request.POST,
        )
    except NotFound:
        return _done(
            request, access, _("One of the selected memories is no longer in the bin."), "warning"
        )
    except Conflict:
        text = _("A reply is still being written in one of the conversations. Try again later.")
        return _done(request, access, text, "warning")
    text = ngettext("%(n)d memory purged.", "%(n)d memories purged.", len(ids))
    return _done(request, access, text % {"n": len(ids)}, "success")


def _done(request: PageRequest, access: Access, text: str, level: str, **more: Any) -> HttpResponse:
    if not request.htmx:
        return redirect("bin", access.space.slug)
    context = _listed(request, access) | {"text": text, "level": level} | more
    return render(request, "memory/retention/_bin_done.html", context)


def _listed(request: PageRequest, access: Access) -> dict[str, Any]:
    """Return a page of the bin filtered by the query string. After a change the list starts from
    the top."""
    asked = _Filters.read(request.GET)
    reason, query = asked["reason"], asked["q"]
    binned = Memory.objects.in_space(access.space).readable_by(access.reader).binned()
    has_users = binned.of_users().exists()
    if asked["user"]:
        binned = binned.filter(user_id=asked["user"])
    counts = dict(binned.values_list("bin_reason").annotate(Count("pk")).order_by())
    rows = binned.filter(bin_reason=reason) if reason else binned
    bin_days = current_policy(access.space).document.bin_days
    rows = rows.defer("search").annotate(purge_at=purge_at(Memory.objects.all(), bin_days))
    found = keyset("-binned_at", nulls=False).searched(
        rows,
        (lambda rows: rows.saying(query)) if query else None,
        limit=PAGE_SIZE,
        cursor=request.GET.get("cursor") if request.method == "GET" else None,
        through=LOOKED_AT,
    )
    return {
        "memories": with_removals(found.rows, access.space),
        "next": found.following,
        "until": found.until,
        **asked,
        "has_users": has_users,
        "total": sum(counts.values()),
        "reasons": [(value, label, counts.get(value, 0)) for value, label in BinReason.choices],
        "bin_days": bin_days,
    }
