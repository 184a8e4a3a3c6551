"""Pages: why a reply was given the memories it was given, and what can be done about each there."""

from statistics import median, quantiles
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chat.inspector import why, why_one
from chat.models import Message
from chat.services.relevance import mark_irrelevant, unmark_irrelevant
from chat.views.refusals import GONE, refusal
from memory.access.authentication import Access
from memory.access.pages import PageRequest, space_page
from memory.drafts import MemoryChange
from memory.memories.edit_form import edited
from memory.models import Memory, Space, Status
from memory.models.policies import current_policy
from memory.retention.recycle_bin import delete_memory, restore_memory
from memory.store.services import revise_memory

TIMED_REPLIES = 200


@require_GET
@space_page("read")
def inspector(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """All that was recalled for a reply, and what nearly was."""
    context = inspected(access.space, _reply(access, message_id))
    return render(request, "chat/_recalled.html", context)


def inspected(space: Space, message: Message | None) -> dict[str, Any]:
    """What the inspector's template takes; without a reply it says what would stand there."""
    return {
        "why": why(message) if message else {},
        "space": space,
        "policy": current_policy(space).document,
    }


@require_GET
@space_page("read")
def recall_times(request: PageRequest, access: Access) -> HttpResponse:
    """A piece of the overview: how long recall took for the latest replies."""
    times = Message.objects.in_space(access.space).recall_times(TIMED_REPLIES)
    context = {"count": len(times)}
    if times:
        slow = quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else times[0]
        context |= {"middle": round(median(times)), "slow": round(slow)}
    return render(request, "chat/_recall_times.html", context)


@require_GET
@space_page("read")
def hit(request: PageRequest, access: Access, message_id: UUID, memory_id: UUID) -> HttpResponse:
    """One memory of it."""
    return _drawn(request, access, _reply(access, message_id), memory_id)


@require_POST
@space_page("write")
def pin(request: PageRequest, access: Access, message_id: UUID, memory_id: UUID) -> HttpResponse:
    """Pins or unpins a memory."""
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
    """A form in the memory's place; then the memory as it was changed. Of one that is gone by then
    the form stays, with what was typed."""
    message = _listing(access, message_id, memory_id)
    memory = Memory.objects.in_space(access.space).filter(pk=memory_id).first()
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
    """Moves a memory to the bin; in its place stands that it can be taken back."""
    message, memory = _listed(access, message_id, memory_id)
    delete_memory(space=access.space, memory_id=memory.pk, actor=access.actor, now=timezone.now())
    return _drawn(request, access, message, memory_id)


@require_POST
@space_page("write")
def take_back(
    request: PageRequest, access: Access, message_id: UUID, memory_id: UUID
) -> HttpResponse:
    """Takes a memory back from the bin."""
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
    """Marks a memory as not relevant to the question; its use is not counted any more."""
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
    """Undoes `irrelevant`."""
    message, memory = _listed(access, message_id, memory_id)
    unmark_irrelevant(message=message, memory_id=memory.pk, actor=access.actor, now=timezone.now())
    return _drawn(request, access, message, memory_id)


def _reply(access: Access, message_id: UUID) -> Message:
    rows = Message.objects.in_space(access.space).filter(conversation__deleted_at=None)
    message = get_object_or_404(rows, pk=message_id, role=Message.Role.ASSISTANT)
    message.space = access.space
    return message


def _listed(access: Access, message_id: UUID, memory_id: UUID) -> tuple[Message, Memory]:
    """A reply and a memory of its list, which is still there."""
    message = _listing(access, message_id, memory_id)
    return message, get_object_or_404(Memory.objects.in_space(access.space), pk=memory_id)


def _listing(access: Access, message_id: UUID, memory_id: UUID) -> Message:
    """A reply on whose list the memory is."""
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
    """One memory after something was done to it. Its button gets the focus, if the one that was
    pressed is gone."""
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
    return render(request, "chat/_hit.html", context)
