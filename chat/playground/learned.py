"""Pages: editing, pinning, joining, splitting or discarding an exchange's memories in the chat."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from assessor.lessons import Lesson
from assessor.outbox import services
from assessor.saving.regrouping import regroup
from chat.models import Message
from chat.refusals import GONE, refusal
from foundation.errors import Conflict
from memory.drafts import MAX_CONTENT
from memory.memories.bulk import pin_memories
from memory.memories.edit_form import IN_THE_BIN, SENTENCES, edited
from memory.models import Memory, Reason, Status
from memory.models.policies import current_policy
from memory.reconciliation.discarding import discard_memory, superseded_by, undo_discard


@require_http_methods(["GET", "POST"])
@space_page("write")
def edit(request: PageRequest, access: Access, message_id: UUID, memory_id: UUID) -> HttpResponse:
    """Render a form in the memory's place, then the edited memory.

    If the memory was deleted in the meantime, the form stays and keeps its text.
    """
    lesson = _lesson(access, message_id, memory_id)
    if lesson is None:
        return refusal(request, GONE)
    if request.method == "GET" and lesson.memory.status != Status.LIVE:
        return _drawn(request, access, message_id, memory_id)
    form = edited(request, access, lesson.memory, reason=Reason("corrected_at_source"))
    if form is None:
        return _drawn(request, access, message_id, memory_id)
    where = [access.space.slug, message_id]
    addresses = {
        "url": reverse("exchange_edit", args=[*where, memory_id]),
        "cancel_url": reverse("exchange", args=where) + f"?back={memory_id}",
        "target": f"#exchange-{message_id}",
        "split_url": reverse("exchange_split", args=[*where, memory_id]),
    }
    return _drawn(request, access, message_id, memory_id, **form, **addresses, editing=memory_id)


@require_POST
@space_page("write")
def pin(request: PageRequest, access: Access, message_id: UUID, memory_id: UUID) -> HttpResponse:
    """Pin or unpin a memory, as the pressed button says."""
    if _lesson(access, message_id, memory_id) is None:
        return refusal(request, GONE)
    pin_memories(
        space=access.space,
        memory_ids=[memory_id],
        pinned=request.POST.get("pinned") == "yes",
        actor=access.actor,
        now=timezone.now(),
    )
    return _drawn(request, access, message_id, memory_id)


@require_POST
@space_page("write")
def join(request: PageRequest, access: Access, message_id: UUID, memory_id: UUID) -> HttpResponse:
    """Join a memory with the active one above it."""
    live = [one for one in _lessons(access, message_id) if one.memory.status == Status.LIVE]
    at = next((at for at, one in enumerate(live) if one.memory_id == memory_id), 0)
    if at == 0:
        return refusal(request, GONE)
    pair = [one.memory for one in live[at - 1 : at + 1]]
    return _regrouped(request, access, message_id, pair, ["\n".join(one.content for one in pair)])


@require_POST
@space_page("write")
def split(request: PageRequest, access: Access, message_id: UUID, memory_id: UUID) -> HttpResponse:
    """Save each line of the edited text as a memory, in place of the edited one."""
    lesson = _lesson(access, message_id, memory_id)
    if lesson is None:
        return refusal(request, GONE)
    lines = [line.strip() for line in request.POST.get("content", "").splitlines() if line.strip()]
    if len(lines) < 2:
        return refusal(request, _("Write each memory on a line of its own first."))
    return _regrouped(request, access, message_id, [lesson.memory], lines)


def _regrouped(
    request: PageRequest, access: Access, message_id: UUID, old: Sequence[Memory], texts: list[str]
) -> HttpResponse:
    assessment = _exchange(access, message_id).assessment
    if assessment is None or max(map(len, texts)) > MAX_CONTENT:
        return refusal(request, SENTENCES["content"])
    try:
        made = regroup(
            assessment=assessment,
            memory_ids=[one.pk for one in old],
            texts=texts,
            actor=access.actor,
            now=timezone.now(),
        )
    except Conflict:
        return refusal(request, IN_THE_BIN)
    return _drawn(request, access, message_id, made[0].pk)


@require_POST
@space_page("write")
def discard(
    request: PageRequest, access: Access, message_id: UUID, memory_id: UUID
) -> HttpResponse:
    """Delete a memory learned from the exchange, restore those it superseded, offer to undo it."""
    lesson = _lesson(access, message_id, memory_id)
    if lesson is None or not lesson.is_new:
        raise Http404
    _discard(access, memory_id)
    return _drawn(request, access, message_id, memory_id)


def _discard(access: Access, memory_id: UUID) -> None:
    discard_memory(
        space=access.space,
        memory_id=memory_id,
        actor=access.actor,
        now=timezone.now(),
        reason=Reason("discarded_at_source"),
    )


@require_POST
@space_page("write")
def restore(
    request: PageRequest, access: Access, message_id: UUID, memory_id: UUID
) -> HttpResponse:
    """Undo `discard`, or the joining or splitting that replaced the memory."""
    if _lesson(access, message_id, memory_id) is None:
        raise Http404
    for one in _lessons(access, message_id):
        if memory_id in [old.pk for old in superseded_by(one.memory)]:
            _discard(access, one.memory_id)
    undo_discard(space=access.space, memory_id=memory_id, actor=access.actor, now=timezone.now())
    return _drawn(request, access, message_id, memory_id)


@require_POST
@space_page("write")
def retry(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """Requeue a failed assessment; show an assessment in any other state unchanged."""
    message = _exchange(access, message_id)
    if message.assessment_id is None:
        raise Http404
    with suppress(Conflict):
        services.retry(space=access.space, assessment_id=message.assessment_id, now=timezone.now())
    return _drawn(request, access, message_id)


def _exchange(access: Access, message_id: UUID) -> Message:
    rows = (
        Message.objects.in_space(access.space)
        .readable_by(access.reader)
        .filter(conversation__deleted_at=None)
    )
    return get_object_or_404(rows.select_related("assessment"), pk=message_id)


def _lesson(access: Access, message_id: UUID, memory_id: UUID) -> Lesson | None:
    """Return the lesson of this memory in the exchange; None if the memory was purged."""
    lessons = _lessons(access, message_id)
    return next((one for one in lessons if one.memory_id == memory_id), None)


def _lessons(access: Access, message_id: UUID) -> list[Lesson]:
    assessment = _exchange(access, message_id).assessment
    if assessment is None:
        raise Http404
    return assessment.lessons


def _drawn(
    request: PageRequest, access: Access, message_id: UUID, memory_id: UUID | None = None,
    **context: Any,
) -> HttpResponse:  # fmt: skip
    """Render the exchange; the memory gets the focus."""
    context |= {
        "message": _exchange(access, message_id),
        "policy": current_policy(access.space).document,
        "changed": memory_id,
    }
    return render(request, "chat/_assessment.html", context)
