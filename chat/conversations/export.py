"""Pages: a conversation as a file, in Markdown or JSON."""

from uuid import UUID

from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.http import content_disposition_header
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from chat.models import Conversation, Message
from chat.schemas import ConversationDetail


@require_GET
@space_page("read")
def as_markdown(request: PageRequest, access: Access, conversation_id: UUID) -> HttpResponse:
    """Return the conversation as a Markdown file, each message below its author and time."""
    conversation, messages = _conversation(access, conversation_id)
    parts = [f"# {conversation.title}", *(_section(message) for message in messages)]
    text = "\n\n".join(parts) + "\n"
    response = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    return _as_file(response, conversation, "md")


@require_GET
@space_page("read")
def as_json(request: PageRequest, access: Access, conversation_id: UUID) -> HttpResponse:
    """Return the conversation as a JSON file, as `GET conversations/{id}` of the API does."""
    conversation, messages = _conversation(access, conversation_id)
    detail = ConversationDetail.of(conversation, messages, access)
    response = JsonResponse(
        detail.model_dump(), json_dumps_params={"ensure_ascii": False, "indent": 1}
    )
    return _as_file(response, conversation, "json")


def _conversation(access: Access, conversation_id: UUID) -> tuple[Conversation, list[Message]]:
    rows = Conversation.objects.in_space(access.space).readable_by(access.reader)
    conversation = get_object_or_404(rows, pk=conversation_id)
    messages = Message.objects.in_space(access.space).of(conversation).shown()
    return conversation, list(messages)


def _section(message: Message) -> str:
    is_user = message.role == Message.Role.USER
    who = _("User") if is_user else _("Assistant (%(model)s)") % {"model": message.model}
    at = date_format(timezone.localtime(message.created_at), "Y-m-d H:i")
    return f"## {who}, {at}\n\n{message.content.strip()}"


def _as_file(response: HttpResponse, conversation: Conversation, ending: str) -> HttpResponse:
    name = get_valid_filename(conversation.title.strip(". ") or str(conversation.pk))
    disposition = content_disposition_header(True, f"{name}.{ending}")
    response["Content-Disposition"] = str(disposition)
    return response
