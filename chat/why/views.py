"""Pages: the memories of a reply with the reasons, and actions on each."""

from statistics import median, quantiles
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from chat.first_steps.steps import saw_why
from chat.models import Message
from chat.refusals import GONE, refusal
from chat.why.inspector import offered, why, why_one
from chat.why.relevance import mark_irrelevant, unmark_irrelevant
from chat.why.shown_rules import rules_shown
from memory.drafts import MemoryChange
from memory.memories.edit_form import edited
from memory.models import Memory, Status
from memory.models.policies import current_policy
from memory.retention.recycle_bin import delete_memory, restore_memory
from memory.store.services import revise_memory

TIMED_REPLIES = 200


@require_GET
@space_page("read")
def inspector(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """Render the memories recalled for a reply, and those that just missed."""
    context = inspected(access, _reply(access, message_id))
    saw_why(user=request.user, now=timezone.now())
    return render(request, "chat/_recalled.html", context)


def inspected(
    access: Access, message: Message | None, question: str | None = None
) -> dict[str, Any]:
    """Return the context of the inspector's template with what the caller may see; without a reply,
    the template shows a hint.
    """
    shown = rules_shown(message.standing, access) if message else []
    return {
        "why": why(message, question, standing=shown) if message else {},
        "space": access.space,
        "policy": current_policy(access.space).document,
    }


@require_GET
@space_page("read")
def recall_times(request: PageRequest, access: Access) -> HttpResponse:
    """Render the overview's fragment with the recall times of the latest replies."""
    times = (
        Message.objects.in_space(access.space)
        .readable_by(access.reader)
        .recall_times(TIMED_REPLIES)
    )
    context = {"count": len(times)}
    if times:
        slow = quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else times[0]
        context |= {"middle": round(median(times)), "slow": round(slow)}
    return render(request, "chat/_recall_times.html", context)


@require_GET
@space_page("read")
def offers(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """Render the memories that the reply offers to delete."""
    message = _reply(access, message_id)
    context = {"message": message, "offered": offered(message)}
    return render(request, "chat/_offers.html", context)


@require_GET
@space_page("read")
def hit(request: PageRequest, access: Access, message_id: UUID, memory_id: UUID) -> HttpResponse:
    """Render one memory of the list."""
    return _drawn(request, access, _reply(access, message_id), memory_id)


@require_POST
@space_page("write")
def pin(request: PageRequest, access: Access, message_id: UUID, memory_id: UUID) -> HttpResponse:
    """Pin or unpin a memory."""
    message, memory = _listed(access, message_id, memory_id)
    if memory.status == Status.LIVE:
        revise_memory(
            space=access.space,
            memory_id=memory_id,
            change=MemoryChange(pinned=not memory.pinned),
            actor=access.actor,
            now=timezone.now(),
        )
    return _drawn(request, access, message, memory_id, keeps_focus=True)


@require_http_methods(["GET", "POST"])
@space_page("write")
def edit(request: PageRequest, access: Access, message_id: UUID, memory_id: UUID) -> HttpResponse:
    """Render a form in the memory's place, then the edited memory.

    If the memory was deleted meanwhile, the form stays with its text.
    """
    message = _listing(access, message_id, memory_id)
    memory = (
        Memory.objects.in_space(access.space)
        .readable_by(access.reader)
        .filter(pk=memory_id)
        .first()
    )
    if memory is None:
        return refusal(request, GONE)
    if request.method == "GET" and memory.status != Status.LIVE:
        return _drawn(request, access, message, memory_id)
    form = edited(request, access, memory)
    if form is None:
        return _drawn(request, access, message, memory_id)
    where = [access.space.slug, message_id, memory_id]
    addresses = {
        "url": reverse("why_edit", args=where),
        "cancel_url": reverse("why_hit", args=where),
        "target": "closest .memory",
    }
    return render(request, "chat/_hit_edit.html", form | addresses)


@require_POST
@space_page("write")
def forget(request: PageRequest, access: Access, message_id: UUID, memory_id: UUID) -> HttpResponse:
    """Move a memory to the bin; offer to restore it in its place."""
    message, memory = _listed(access, message_id, memory_id)
    delete_memory(space=access.space, memory_id=memory.pk, actor=access.actor, now=timezone.now())
    return _drawn(request, access, message, memory_id)


@require_POST
@space_page("write")
def restore(
    request: PageRequest, access: Access, message_id: UUID, memory_id: UUID
) -> HttpResponse:
    """Restore a memory from the bin."""
    message, memory = _listed(access, message_id, memory_id)
    if memory.status == Status.BINNED:
        restore_memory(
            space=access.space, memory_id=memory.pk, actor=access.actor, now=timezone.now()
        )
    return _drawn(request, access, message, memory_id)


@require_POST
@space_page("write")
def irrelevant(
    request: PageRequest, access: Access, message_id: UUID, memory_id: UUID
) -> HttpResponse:
    """Mark a memory as irrelevant to the question; its use no longer counts."""
    message, memory = _listed(access, message_id, memory_id)
    mark_irrelevant(
        message=message,
        memory_id=memory.pk,
        user=request.user,
        actor=access.actor,
        now=timezone.now(),
    )
    return _drawn(request, access, message, memory_id)


@require_POST
@space_page("write")
def relevant(
    request: PageRequest, access: Access, message_id: UUID, memory_id: UUID
) -> HttpResponse:
    """Undo `irrelevant`."""
    message, memory = _listed(access, message_id, memory_id)
    unmark_irrelevant(message=message, memory_id=memory.pk, actor=access.actor, now=timezone.now())
    return _drawn(request, access, message, memory_id)


def _reply(access: Access, message_id: UUID) -> Message:
    rows = (
        Message.objects.in_space(access.space)
        .readable_by(access.reader)
        .filter(conversation__deleted_at=None)
    )
    message = get_object_or_404(rows, pk=message_id, role=Message.Role.ASSISTANT)
    message.space = access.space
    return message


def _listed(access: Access, message_id: UUID, memory_id: UUID) -> tuple[Message, Memory]:
    """Return a reply and a memory of its list that still exists."""
    message = _listing(access, message_id, memory_id)
    return message, get_object_or_404(
        Memory.objects.in_space(access.space).readable_by(access.reader), pk=memory_id
    )


def _listing(access: Access, message_id: UUID, memory_id: UUID) -> Message:
    """Return a reply whose list contains the memory; raises Http404."""
    message = _reply(access, message_id)
    if str(memory_id) not in {one["memory"]["id"] for one in message.recalled + message.missed}:
        raise Http404
    return message


def _drawn(
    request: PageRequest,
    access: Access,
    message: Message,
    memory_id: UUID,
    *,
    keeps_focus: bool = False,
) -> HttpResponse:
    """Render one memory after an action: in the inspector, or with `?offer` below the reply that
    offered to delete it.

    The memory's button gets the focus if the pressed one has disappeared.
    """
    found = why_one(message, memory_id)
    if found is None:
        raise Http404
    context = {
        "hit": found,
        "message": message,
        "policy": current_policy(access.space).document,
        "is_ended": True,
        "changed": not keeps_focus,
    }
    template = "chat/_offer.html" if "offer" in request.GET else "chat/_hit.html"
    return render(request, template, context)
