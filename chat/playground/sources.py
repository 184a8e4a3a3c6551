"""A fragment of a memory's page: the source exchange and its assessment."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.authentication import Access
from accounts.forms import uuid_in
from accounts.models import Space
from accounts.pages import PageRequest, space_page
from assessor.lessons import Lesson
from assessor.models import Assessment
from chat.models import Conversation, Message
from memory.models import Memory, MemoryEvent
from memory.models.history import Action
from memory.store.history_labels import who
from memory.tools import TOOL

A_REPLY_TAKES = timedelta(hours=1)
"""Maximum time from a reply's first word to the memory that the model saved with a tool."""


@require_GET
@space_page("read")
def source(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Render the exchange that the memory was learned from, or its author if there is none."""
    rows = Memory.objects.in_space(access.space).readable_by(access.reader).defer("search")
    memory = get_object_or_404(rows, pk=memory_id)
    assessment = _exchange(access, memory)
    reply = _reply(access.space, memory, assessment)
    context: dict[str, Any] = {
        "memory": memory,
        "assessment": assessment,
        "reply": reply,
        "said": _said(reply) if reply and not assessment else None,
        "conversation": reply.conversation if reply else _conversation(access.space, memory),
    }
    if not assessment and not reply:
        created = (
            MemoryEvent.objects.in_space(access.space)
            .readable_by(access.reader)
            .filter(memory_id=memory.pk, action=Action.CREATED)
        )
        first = created.order_by("id").first()
        context["made_by"] = who(first) if first else ""
    return render(request, "chat/_source.html", context)


def _exchange(access: Access, memory: Memory) -> Assessment | None:
    """Return the exchange that taught the memory: of a span, the first that says it."""
    if memory.source_assessment is None:
        return None
    whole = Assessment(pk=memory.source_assessment, space=access.space)
    span = Assessment.objects.in_span(whole).readable_by(access.reader).order_by("created_at")
    taught = Lesson.objects.filter(space_id=access.space.pk, memory=memory).values("assessment")
    return span.filter(pk__in=taught).first() or span.filter(pk=whole.pk).first()


def _reply(space: Space, memory: Memory, assessment: Assessment | None) -> Message | None:
    """Return the reply of the assessed exchange, or the reply whose tool wrote the memory."""
    rows = Message.objects.in_space(space).filter(
        role=Message.Role.ASSISTANT, conversation__deleted_at=None
    )
    if assessment is not None:
        rows = rows.filter(assessment=assessment)
    elif memory.source_role == TOOL:
        kept = [{"memory": {"id": str(memory.pk)}}]
        begun = (memory.created_at - A_REPLY_TAKES, memory.created_at)
        rows = rows.filter(created_at__range=begun, tool_calls__contains=kept)
    else:
        return None
    return rows.select_related("conversation").order_by("-position").first()


def _said(reply: Message) -> Message | None:
    """Return the user's message that the reply answers."""
    rows = Message.objects.in_space(reply.space).filter(conversation_id=reply.conversation_id)
    before = rows.filter(role=Message.Role.USER, position__lt=reply.position)
    return before.order_by("-position").first()


def _conversation(space: Space, memory: Memory) -> Conversation | None:
    """Return the conversation that the memory names, if it is one of ours."""
    rows = Conversation.objects.in_space(space)
    return rows.filter(pk=uuid_in(memory.source_conversation)).first()
