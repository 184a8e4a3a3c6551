"""Pages: editing or discarding an exchange's memory in the chat."""

from contextlib import suppress
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from assessor.models import Assessment
from assessor.outbox import services
from chat.models import Message
from chat.refusals import GONE, refusal
from foundation.errors import Conflict
from memory.memories.edit_form import edited
from memory.models import Memory, Reason, Status
from memory.models.policies import current_policy
from memory.reconciliation.discarding import discard_memory, undo_discard


@require_http_methods(["GET", "POST"])
@space_page("write")
def edit(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """Render a form in the memory's place, then the edited memory.

    If the memory was deleted in the meantime, the form stays and keeps its text.
    """
    assessment = _exchange(access, message_id).assessment
    if assessment is None:
        raise Http404
    memory = assessment.memory
    if memory is None:
        return refusal(request, GONE)
    if request.method == "GET" and memory.status != Status.LIVE:
        return _drawn(request, access, message_id)
    form = edited(request, access, memory, reason=Reason("corrected_at_source"))
    if form is None:
        return _drawn(request, access, message_id)
    where = [access.space.slug, message_id]
    addresses = {
        "url": reverse("exchange_edit", args=where),
        "cancel_url": reverse("exchange", args=where) + "?back",
        "target": f"#exchange-{message_id}",
    }
    return _drawn(request, access, message_id, **form, **addresses, editing=True)


@require_POST
@space_page("write")
def discard(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """Delete the memory learned from the exchange, restore those it superseded, and offer to undo
    it.
    """
    assessment, memory = _taught(access, message_id)
    if not assessment.made_its_memory:
        raise Http404
    discard_memory(
        space=access.space,
        memory_id=memory.pk,
        actor=access.actor,
        now=timezone.now(),
        reason=Reason("discarded_at_source"),
    )
    return _drawn(request, access, message_id)


@require_POST
@space_page("write")
def restore(request: PageRequest, access: Access, message_id: UUID) -> HttpResponse:
    """Undo `discard`."""
    _assessment, memory = _taught(access, message_id)
    undo_discard(space=access.space, memory_id=memory.pk, actor=access.actor, now=timezone.now())
    return _drawn(request, access, message_id)


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
    return get_object_or_404(rows.select_related("assessment__memory"), pk=message_id)


def _taught(access: Access, message_id: UUID) -> tuple[Assessment, Memory]:
    assessment = _exchange(access, message_id).assessment
    if assessment is None or assessment.memory is None:
        raise Http404
    return assessment, assessment.memory


def _drawn(request: PageRequest, access: Access, message_id: UUID, **context: Any) -> HttpResponse:
    context |= {
        "message": _exchange(access, message_id),
        "policy": current_policy(access.space).document,
        "changed": request.method == "POST",
    }
    return render(request, "chat/_assessment.html", context)
