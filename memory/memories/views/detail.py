"""The page of one memory: its text and revisions, history and forecast."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict, NotFound
from memory.formulas.ranking import match_percent
from memory.memories.bulk import delete_memories, pin_memories
from memory.memories.edit_form import edited
from memory.models import Memory, MemoryEvent, Status
from memory.models.policies import current_policy
from memory.models.reasons import kind_of, quote_of
from memory.policy import PolicyDocument
from memory.recall.similar import similar
from memory.reconciliation.succession import succession
from memory.retention import charts
from memory.retention.decay_forecast import curve
from memory.retention.extend import extend_memory
from memory.retention.recycle_bin import restore_memory
from memory.store.adjustment import reset_adjustment
from memory.store.adjustment_labels import sentences_of
from memory.store.changes import changes
from memory.store.history_labels import entries_of
from memory.store.importance_parts import importance_parts
from memory.store.revisions import revert_memory

EVENTS = 30
UNDO = {"pin", "unpin", "delete", "reset"}
SAID = {
    "pin": gettext_lazy("Pinned. It does not fade and is never removed."),
    "unpin": gettext_lazy("Unpinned."),
    "delete": gettext_lazy("Moved to the bin."),
    "extend": gettext_lazy("Lifetime restarted."),
    "restore": gettext_lazy("Restored, with a new lifetime."),
    "reset": gettext_lazy("Adjustment reset."),
}


@require_GET
@space_page("read")
def memory(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Show the page; for htmx only the part that actions change."""
    return _drawn(request, access, _one(access, memory_id))


@require_GET
@space_page("read")
def by_id(request: PageRequest, access: Access, short_id: str) -> HttpResponse:
    """Redirect a short id, or an id of a file of seed 000, to the memory's page."""
    rows = Memory.objects.in_space(access.space).readable_by(access.reader).referred_to(short_id)
    return redirect("memory", access.space.slug, get_object_or_404(rows).pk)


@require_GET
@space_page("read")
def revisions(request: PageRequest, access: Access, memory_id: UUID, below: int) -> HttpResponse:
    """Render a fragment: the revisions before the one with this number."""
    memory = _one(access, memory_id)
    changed, earlier = changes(memory, below=below)
    context = {"memory": memory, "changes": changed, "earlier": earlier}
    return render(request, "memory/memories/_revisions.html", context)


@require_GET
@space_page("read")
def alike(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Render a fragment: similar memories."""
    one = _one(access, memory_id)
    one.space = access.space
    hits = [
        {"memory": found.memory, "match": f"{match_percent(found.similarity)}% match"}
        for found in similar(one)
    ]
    context = {"hits": hits, "policy": current_policy(access.space).document}
    return render(request, "memory/memories/_similar.html", context)


@require_http_methods(["GET", "POST"])
@space_page("write")
def edit(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Show a form in place of the text; once submitted, the changed memory."""
    one = _one(access, memory_id)
    # A submitted text is not discarded if the memory was moved to the bin meanwhile.
    if one.status == Status.REVIEW or (one.status == Status.BINNED and request.method == "GET"):
        return _drawn(request, access, one)
    form = edited(request, access, one)
    if form is None:
        return _drawn(request, access, _one(access, memory_id), text=_("Saved."))
    addresses = {
        "editing": True,
        "url": reverse("memory_edit", args=[access.space.slug, memory_id]),
        "cancel_url": reverse("memory", args=[access.space.slug, memory_id]),
        "target": "#memory-page",
    }
    return _drawn(request, access, one, **form, **addresses)


@require_POST
@space_page("write")
def act(request: PageRequest, access: Access, memory_id: UUID, action: str) -> HttpResponse:
    """Apply one of the actions in SAID; offer an undo where there is one."""
    one, actor = _one(access, memory_id), access.actor.in_action()
    who: dict[str, Any] = {"space": access.space, "actor": actor, "now": timezone.now()}
    verbs: dict[str, Callable[[], object]] = {
        "pin": lambda: pin_memories(memory_ids=[memory_id], pinned=True, **who),
        "unpin": lambda: pin_memories(memory_ids=[memory_id], pinned=False, **who),
        "delete": lambda: delete_memories(memory_ids=[memory_id], **who),
        "extend": lambda: extend_memory(memory_id=memory_id, **who),
        "restore": lambda: restore_memory(memory_id=memory_id, **who),
        "reset": lambda: reset_adjustment(memory_id=memory_id, **who),
    }
    if action not in verbs:
        raise Http404
    try:
        done = verbs[action]()
    except (NotFound, Conflict):
        done = 0
    one = _one(access, memory_id)
    if done == 0:  # already pinned, or deleted meanwhile
        return _drawn(request, access, one, text=_("The memory has changed in the meantime."))
    undo = reverse("memories_undo", args=[access.space.slug, actor.action_id])
    undo_url = undo if action in UNDO else ""
    return _drawn(request, access, one, text=SAID[action], undo_url=undo_url)


@require_POST
@space_page("write")
def revert(request: PageRequest, access: Access, memory_id: UUID, number: int) -> HttpResponse:
    """Restore the text of a past revision, as a new revision."""
    try:
        revert_memory(
            space=access.space,
            memory_id=memory_id,
            revision=number,
            actor=access.actor,
            now=timezone.now(),
        )
    except Conflict:
        text = _("This memory is in the bin. Restore it first.")
    else:
        text = _("Reverted.")
    return _drawn(request, access, _one(access, memory_id), text=text)


def _one(access: Access, memory_id: UUID) -> Memory:
    rows = Memory.objects.in_space(access.space).readable_by(access.reader).defer("search")
    return get_object_or_404(rows, pk=memory_id)


def _drawn(request: PageRequest, access: Access, one: Memory, **more: Any) -> HttpResponse:
    """Render the page, or for htmx its changing part; redirect after a POST without htmx."""
    if request.method == "POST" and not request.htmx and not more.get("editing"):
        return redirect("memory", access.space.slug, one.pk)
    document = current_policy(access.space).document
    events = (
        MemoryEvent.objects.in_space(access.space)
        .readable_by(access.reader)
        .filter(memory_id=one.pk)
    )
    newest = list(events.order_by("-at", "-pk")[: EVENTS + 1])
    changed, earlier = changes(one)
    context = {
        "memory": one,
        "policy": document,
        "history": entries_of(newest[:EVENTS]),
        "is_longer": len(newest) > EVENTS,
        "changes": changed,
        "earlier": earlier,
        "parts": importance_parts(one),
        "learned": sentences_of(one),
        "succession": succession(one, access.reader),
        "held_kind": kind_of(one.review_reason),
        "held_quote": quote_of(one.review_reason),
        **_course(one, document),
        **more,
    }
    template = "memory/memories/_detail.html" if request.htmx else "memory/memories/detail.html"
    return render(request, template, context)


def _course(one: Memory, document: PolicyDocument) -> dict[str, Any]:
    """Return the forecast of a live memory as lines of a chart; an empty dict for others."""
    if one.status != Status.LIVE:
        return {}
    found = curve(one, document, timezone.now())
    unused, used = found.unused, found.used
    ground = [(unused.last[0], 0.0), (0.0, 0.0)]
    ttl = document.ttl
    bounds = (ttl.permanent_threshold, ttl.medium_threshold, ttl.low_threshold)
    drawn = {"curve-used": used, "curve-unused": unused}
    return {
        "curve": found,
        "unused_line": charts.line(unused.points, found.days),
        "unused_area": charts.line([*unused.points, *ground], found.days),
        "used_line": charts.line(used.points, found.days),
        "thresholds": [{"at": bound, "up": 1 - bound} for bound in bounds],
        # The points where a line ends because the memory expires.
        "ends": [
            {"line": name, "x": course.last[0] / (found.days or 1), "y": 1 - course.last[1]}
            for name, course in drawn.items()
            if course.goes_at is not None
        ],
        "ends_at": max(filter(None, (unused.goes_at, used.goes_at)), default=None),
    }
