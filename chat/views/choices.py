"""Pages: a conversation's own settings, in the sheet beside the message."""

from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from chat.choices import MAX_SYSTEM_PROMPT, choices_in, chosen
from chat.models import MemoryUse
from chat.responders import get_responder, has_model, model_names
from chat.services.conversations import choose
from memory.access.authentication import Access
from memory.access.pages import PageRequest, page_access, space_page
from memory.connections import release_request_connection
from memory.formulas.ranking import PROFILES
from memory.policies.labels import PROFILE_MEANINGS
from memory.policy import PolicyDocument


def choice_context(document: PolicyDocument) -> dict[str, Any]:
    """Return the context of the settings sheet (templates/chat/_choices.html)."""
    return {
        "responder": get_responder().label,
        "has_model": has_model(),
        "memory_uses": MemoryUse.choices,
        "profiles": [(name, PROFILE_MEANINGS.get(name, "")) for name in PROFILES],
        "space_profile": document.recall.profile,
        "max_system_prompt": MAX_SYSTEM_PROMPT,
    }


@require_POST
@space_page("write")
def keep_choices(request: PageRequest, access: Access) -> HttpResponse:
    """Store the settings if the conversation exists; render those that differ from the default."""
    made = chosen(choices_in(request.POST))
    if given := request.POST.get("conversation"):
        try:
            choose(space=access.space, conversation_id=UUID(given), **choices_in(request.POST))
        except ValueError:
            raise BadRequest("conversation: not a UUID") from None
    context = {"conversation": made, "responder": get_responder().label, "has_model": has_model()}
    return render(request, "chat/_chosen.html", context)


@require_GET
@login_required
async def model_field(request: PageRequest, slug: str) -> HttpResponse:
    """Render the model field with the names that the endpoint lists."""
    user = await request.auser()
    await sync_to_async(page_access)(user, slug, "read")
    await release_request_connection()
    context = {
        "names": await model_names(),
        "chosen": request.GET.get("model", ""),
        "default": settings.EBB_CHAT_MODEL,
    }
    return render(request, "chat/_model_field.html", context)
