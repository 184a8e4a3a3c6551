"""Template filters of the chat."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from assessor.statistics.connection_figures import ConnectionFigures
from chat.connections.form import stored_form
from chat.conversations.redaction import shows_secret
from chat.models import Conversation, Message
from chat.text.markdown import to_html
from chat.why.explaining import OFFERED, Stored
from chat.why.sentence import why_sentence as why_sentence_of
from memory.templatetags.ebb import time_tag

register = template.Library()
register.filter(stored_form)
register.filter(shows_secret)

_DONE = {
    "remember": gettext_lazy("saved: {about}"),
    "search_memories": gettext_lazy("searched memories: {about}"),
    "update_memory": gettext_lazy("updated a memory: {about}"),
    "forget": gettext_lazy("deleted: {about}"),
}
_NOT_DONE = {
    "remember": gettext_lazy("not saved"),
    "search_memories": gettext_lazy("search failed"),
    "update_memory": gettext_lazy("not updated"),
    "forget": gettext_lazy("not deleted"),
}
# Error code at the beginning of the text for the model (memory.tools.refusal) → reason
_REASONS = {
    "memory_invalid_arguments": gettext_lazy("the model's call was not valid"),
    "not_found": gettext_lazy("there is no such memory"),
    "conflict": gettext_lazy("the memory does not allow this right now"),
    "model_unavailable": gettext_lazy("the embedding model did not answer"),
}
_ICONS = {
    "remember": "memories",
    "search_memories": "search",
    "update_memory": "edit",
    "forget": "trash",
}


@register.filter
def markdown(text: str) -> SafeString:
    """Render Markdown as safe HTML."""
    return to_html(text)


@register.filter
def clock(moment: datetime) -> SafeString:
    """Return the time of day in <time>, with the exact time as title."""
    return time_tag(moment, date_format(timezone.localtime(moment), "H:i"))


@register.filter
def above(names: Mapping[UUID, str], row: Message | Conversation) -> str:
    """Return the name to show above a row (chat.conversations.days); "" for none."""
    return names.get(row.pk, "") if names else ""


@register.filter
def has_offers(message: Message) -> bool:
    """Return whether the reply offers to delete memories."""
    return any(hit.get(OFFERED) for hit in message.recalled)


@register.filter
def why_sentence(hit: Stored) -> str:
    """Say in one sentence why a memory was recalled."""
    return why_sentence_of(hit, timezone.now())


@register.filter
def tool_words(call: dict[str, Any]) -> str:
    """Describe a tool call in a few words: "searched memories: pizza"."""
    if not call["ok"]:
        return _failed(call)
    written = call["memory"] or {}
    about = written.get("content") or call["arguments"].get("query", "")
    if written.get("status") == "review":
        return _("sent to review: {about}").format(about=about)
    return str(_DONE[call["name"]]).format(about=about)


def _failed(call: dict[str, Any]) -> str:
    what = _NOT_DONE.get(call["name"]) or _("{name} failed").format(name=call["name"])
    why = _REASONS.get(call["text"].partition(":")[0])
    return f"{what}: {why}" if why else str(what)


@register.filter
def figures_of(figures: Mapping[UUID, ConnectionFigures], connection_id: UUID) -> ConnectionFigures:
    """Return the figures of a connection."""
    return figures.get(connection_id, ConnectionFigures())


@register.filter
def tool_icon(call: dict[str, Any]) -> str:
    """Return the name of the icon beside the words."""
    return _ICONS[call["name"]] if call["ok"] else "warning"
