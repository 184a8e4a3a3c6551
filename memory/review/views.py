"""The review inbox: waiting memories, the reason, the related known memory, and the decision."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from accounts.authentication import Access
from accounts.forms import SentText
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict
from foundation.http.pagination import keyset
from foundation.texts.names import MAX_NAME
from memory.embeddings import EmbeddingError
from memory.memories.edit_form import edited
from memory.models import Memory, Status
from memory.models.memories import MemoryQuerySet
from memory.models.policies import current_policy
from memory.models.reasons import Reason, kind_of, quote_of, sureness_of
from memory.recall.similar import vector_of
from memory.reconciliation.rules import Verdict, patched
from memory.reconciliation.services import by_rule
from memory.review import services
from memory.review.approvals import statement_of
from memory.review.proposals import proposal_of
from memory.text.difference import compared

PAGE_SIZE = 100
DECIDED = gettext_lazy("Someone already reviewed this.")


@require_GET
@space_page("read")
def review(request: PageRequest, access: Access) -> HttpResponse:
    """Show the queue, newest first; return only its next part to htmx."""
    user = SentText(MAX_NAME, is_id=True).clean(request.GET.get("user"))
    context = _queue(access, request.GET.get("cursor") or None, user)
    if request.htmx:
        return render(request, "memory/review/_list.html", context)
    return render(request, "memory/review/review.html", context | _kinds(access))


@require_GET
@space_page("read")
def held(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Show one waiting memory as in the queue, after an edit was cancelled."""
    memory = _asked_for(access, memory_id)
    if memory.status != Status.REVIEW:
        return _overtaken(request)
    return render(request, "memory/review/_held.html", _item(memory) | {"focused": True})


@require_GET
@space_page("read")
def near(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Return the known memory that it concerns, with the difference; nothing once decided."""
    memory = _asked_for(access, memory_id)
    known = _known(access, memory) if memory.status == Status.REVIEW else {}
    return render(request, "memory/review/_near.html", known)


@require_http_methods(["GET", "POST"])
@space_page("write")
def edit(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Show a form in the memory's place; save and approve the submitted text. If someone else has
    already decided, show a message and keep the typed text.
    """
    memory = _asked_for(access, memory_id)
    if memory.status != Status.REVIEW:
        if request.method == "GET":
            return _overtaken(request)
        response = _answered(request, access, text=DECIDED, level="info")
        response["HX-Reswap"] = "none"
        return response
    form = edited(request, access, memory, reason=Reason("corrected_in_review"))
    if form is None:
        return _decided(
            request, access, memory_id, services.approve_memory, _("Edited and approved.")
        )
    addresses = {
        "url": reverse("review_edit", args=[access.space.slug, memory_id]),
        "cancel_url": reverse("review_held", args=[access.space.slug, memory_id]),
        "target": f"#held-{memory_id}",
        "save": _("Save and approve"),
    }
    context = _item(memory) | form | addresses | {"editing": True}
    return render(request, "memory/review/_held.html", context)


@require_POST
@space_page("write")
def approve(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Approve the memory."""
    return _decided(request, access, memory_id, services.approve_memory, _("Approved."))


@require_POST
@space_page("write")
def reject(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Reject the memory and move it to the bin."""
    said = _("Rejected. It will not be proposed again.")
    return _decided(request, access, memory_id, services.reject_memory, said)


@require_POST
@space_page("write")
def decide_alike(request: PageRequest, access: Access) -> HttpResponse:
    """Approve or reject all memories waiting for the same reason; redraw the queue."""
    approved = request.POST.get("decision") == "approve"
    asked: dict[str, Any] = {
        "space": access.space,
        "kind": SentText().clean(request.POST.get("kind")),
        "approve": approved,
        "actor": access.actor,
        "now": timezone.now(),
    }
    try:
        decided = services.decide_alike(**asked)
    except EmbeddingError:
        return _undecided(request, access)
    n = len(decided)
    said = (
        ngettext("%(n)d approved.", "%(n)d approved.", n)
        if approved
        else ngettext("%(n)d rejected.", "%(n)d rejected.", n)
    )
    return _drawn(request, access, text=said % {"n": n}, undo=decided)


@require_POST
@space_page("write")
def reopen(request: PageRequest, access: Access) -> HttpResponse:
    """Undo decisions: the memories wait for review again, and the queue is redrawn."""
    try:
        rows = (
            Memory.objects.in_space(access.space)
            .readable_by(access.reader)
            .referred_to(*request.GET.getlist("id"))
        )
        reopened = services.reopen_memories(
            space=access.space,
            memory_ids=list(rows.values_list("pk", flat=True)),
            actor=access.actor,
            now=timezone.now(),
        )
    except ValueError:
        raise Http404 from None
    except Conflict:
        said = _("The memory has changed in the meantime.")
        return _drawn(request, access, text=said, level="info")
    return _drawn(request, access, focused={memory.pk for memory in reopened})


def _decided(
    request: PageRequest, access: Access, memory_id: UUID, verb: Any, said: str
) -> HttpResponse:
    """Apply the decision and offer to undo it; show a message if someone else has decided
    already."""
    try:
        holder = verb(
            space=access.space, memory_id=memory_id, actor=access.actor, now=timezone.now()
        )
    except Conflict:
        return _answered(request, access, text=DECIDED, level="info")
    except EmbeddingError:
        return _undecided(request, access)
    if holder.pk != memory_id:
        said = _("Approved. It was merged into an existing memory.")
    decided = Memory.objects.in_space(access.space).readable_by(access.reader).get(pk=memory_id)
    return _answered(request, access, text=said, undo=[decided])


def _undecided(request: PageRequest, access: Access) -> HttpResponse:
    said = _("The embedding model does not answer. Nothing was decided. Try again later.")
    return _drawn(request, access, text=said, level="error")


def _answered(
    request: PageRequest,
    access: Access,
    *,
    text: str | Promise = "",
    undo: Sequence[Memory] = (),
    **more: Any,
) -> HttpResponse:
    ids = "&".join(f"id={memory.short_id}" for memory in undo)
    context = {
        "text": text,
        "level": "success",
        "undo_url": f"{reverse('review_reopen', args=[access.space.slug])}?{ids}" if ids else "",
        "waiting": _waiting(access).count(),
        **_kinds(access),
        **more,
    }
    return render(request, "memory/review/_answer.html", context)


def _drawn(
    request: PageRequest, access: Access, *, focused: set[UUID] | None = None, **more: Any
) -> HttpResponse:
    queue = _queue(access, None)
    place = next((item for item in queue["queue"] if item["memory"].pk in (focused or ())), None)
    place = place or next(iter(queue["queue"]), None)
    if place:
        place["focused"] = True
    return _answered(request, access, redrawn=True, **queue, **more)


def _queue(access: Access, cursor: str | None, user: str = "") -> dict[str, Any]:
    rows = _waiting(access).filter(user_id=user) if user else _waiting(access)
    page, following = keyset("-created_at").page(
        rows.defer("search"), limit=PAGE_SIZE, cursor=cursor
    )
    return {
        "queue": [_item(memory) for memory in page],
        "next": following,
        "user": user,
        "has_users": _waiting(access).of_users().exists(),
        "waiting": _waiting(access).count(),
    }


def _kinds(access: Access) -> dict[str, Any]:
    """Return what can be decided together: the reasons with their numbers."""
    kinds: dict[str, int] = {}
    for reason in _waiting(access).values_list("review_reason", flat=True)[:1000]:
        kinds[kind_of(reason)] = kinds.get(kind_of(reason), 0) + 1
    return {"kinds": sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))}


def _item(memory: Memory) -> dict[str, Any]:
    reason = memory.review_reason
    return {
        "memory": memory,
        "kind": kind_of(reason),
        "quote": quote_of(reason),
        "sureness": sureness_of(reason),
    }


def _waiting(access: Access) -> MemoryQuerySet:
    return Memory.objects.in_space(access.space).readable_by(access.reader).in_review()


def _overtaken(request: PageRequest) -> HttpResponse:
    """Reload the page, because someone has already decided about the shown memory."""
    messages.info(request, DECIDED)
    return HttpResponseClientRefresh()


def _asked_for(access: Access, memory_id: UUID) -> Memory:
    rows = Memory.objects.in_space(access.space).readable_by(access.reader).defer("search")
    return get_object_or_404(rows, pk=memory_id)


def _known(access: Access, memory: Memory) -> dict[str, Any]:
    """Return the known memory that the waiting statement concerns, with verdict and difference."""
    if vector_of(access.space, memory.pk) is None:
        return {}
    policy = current_policy(memory.space)
    decision = proposal_of(memory) or by_rule(statement_of(memory, policy))
    if decision.memory is None:
        return {}
    old = decision.memory.content
    revised = decision.verdict is Verdict.REVISE
    new = patched(old, memory.content, timezone.now()) if revised else memory.content
    return {
        "known": decision.memory,
        "verdict": str(decision.verdict),
        "difference": compared(old, new),
        # A model's reason; the rule's reason would only repeat the verdict.
        "why": decision.reason if memory.review_proposal else "",
    }
