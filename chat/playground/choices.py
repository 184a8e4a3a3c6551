"""Pages: a conversation's own settings, in the sheet beside the message."""

from functools import partial
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.models import Space
from accounts.pages import PageRequest, page_access, space_page
from chat.choices import MAX_SYSTEM_PROMPT, choices_in, chosen
from chat.conversations.services import choose
from chat.models import MemoryUse
from chat.playground.persons import starts_alone
from chat.responders import get_responder, model_names
from chat.responders.model import ModelResponder
from foundation.database.connections import release_request_connection
from memory.policies.profiles import PROFILE_CHOICES, PROFILE_NAMES
from memory.policy import PolicyDocument


def choice_context(space: Space, document: PolicyDocument) -> dict[str, Any]:
    """Return the context of the settings sheet (templates/chat/_choices.html)."""
    responder = get_responder(space)
    return {
        "responder": responder.label,
        "has_model": isinstance(responder, ModelResponder),
        "memory_uses": MemoryUse.choices,
        "chats_alone": partial(starts_alone, space),  # requested only by a new conversation's page
        "profiles": PROFILE_CHOICES.items(),
        "space_profile": PROFILE_NAMES[document.recall.profile],
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
    responder = get_responder(access.space)
    context = {
        "conversation": made,
        "responder": responder.label,
        "has_model": isinstance(responder, ModelResponder),
    }
    return render(request, "chat/_chosen.html", context)


@require_GET
@login_required
async def model_field(request: PageRequest, slug: str) -> HttpResponse:
    """Render the model field with the names that the endpoint lists."""
    user = await request.auser()
    access = await sync_to_async(page_access)(user, slug, "read")
    responder = await sync_to_async(get_responder)(access.space)
    await release_request_connection()
    context = {
        "names": await model_names(access.space),
        "chosen": request.GET.get("model", ""),
        "default": responder.label if isinstance(responder, ModelResponder) else "",
    }
    return render(request, "chat/_model_field.html", context)
