"""Template filters of the chat."""

from typing import Any

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from chat.markdown import to_html

register = template.Library()

_DONE = {
    "remember": gettext_lazy("saved: {about}"),
    "search_memories": gettext_lazy("searched memories for: {about}"),
    "update_memory": gettext_lazy("updated a memory: {about}"),
    "forget": gettext_lazy("deleted: {about}"),
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
def tool_words(call: dict[str, Any]) -> str:
    """Describe a tool call in a few words: "searched memories for: pizza"."""
    if not call["ok"]:
        return _("{name} failed").format(name=call["name"])
    written = call["memory"] or {}
    about = written.get("content") or call["arguments"].get("query", "")
    if written.get("status") == "review":
        return _("sent to review: {about}").format(about=about)
    return str(_DONE[call["name"]]).format(about=about)


@register.filter
def tool_icon(call: dict[str, Any]) -> str:
    """Return the name of the icon beside the words."""
    return _ICONS[call["name"]] if call["ok"] else "warning"
