"""Read-only records: the history and the versions of policies."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from memory.admin.base import BY_SPACE, STARTS, ReadOnlyAdmin, actor
from memory.models import MemoryEvent, PolicyVersion
from memory.models.history import Action
from memory.policies.form import changes
from memory.policy import PolicyDocument, stored_document
from memory.store.history_labels import why

_COLOURS = {
    Action.APPROVED: "success",
    Action.RESTORED: "success",
    Action.HELD: "warning",
    Action.EXPIRED: "warning",
    Action.EVICTED: "warning",
    Action.DELETED: "danger",
    Action.REJECTED: "danger",
    Action.PURGED: "danger",
}


@admin.display(description=_("memory"), ordering="memory_id")
def memory_link(event: MemoryEvent) -> str:
    """Return a link to the event's memory, named by the beginning of its text, or of its id."""
    url = reverse("admin:memory_memory_change", args=[event.memory_id])
    return format_html(
        '<a href="{}">{}</a>', url, event.content[:STARTS] or str(event.memory_id)[:8]
    )


@admin.register(MemoryEvent)
class MemoryEventAdmin(ReadOnlyAdmin):
    """The history of all memories."""

    list_display = ("at", "what", memory_link, "space", actor, "reason_shown")
    list_filter = (BY_SPACE, ("action", ChoicesDropdownFilter))
    list_select_related = ("space",)
    search_fields = ("content", "actor_name")
    search_help_text = _("Search text, actor or memory ID")
    ordering = ("-pk",)
    fields = (
        "at", "action", memory_link, "space", "user_id", actor, "reason_shown", "importance",
        "current_importance", "rank", "policy_version",
    )  # fmt: skip
    readonly_fields = (memory_link, actor, "reason_shown")

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[QuerySet[MemoryEvent], bool]:
        """Find events by a memory's id, short or full, or else by text."""
        try:
            return queryset.about(search_term.strip().lower()), False
        except ValueError:
            rows, repeats = super().get_search_results(request, queryset, search_term)
            return rows, repeats

    @display(description=_("action"), label={**dict.fromkeys(Action, ""), **_COLOURS})
    def what(self, event: MemoryEvent) -> tuple[str, str]:
        """Return the action and its label, which gets the action's colour."""
        return event.action, str(Action(event.action).label)

    @admin.display(description=_("reason"))
    def reason_shown(self, event: MemoryEvent) -> str:
        """Return the reason in the reader's language."""
        return why(event)


@admin.register(PolicyVersion)
class PolicyVersionAdmin(ReadOnlyAdmin):
    """Versions of the spaces' policies."""

    list_display = ("space", "version", "changes_shown", "created_at", actor)
    list_filter = (BY_SPACE,)
    list_select_related = ("space",)
    ordering = ("-pk",)
    exclude = ("document", "actor_type", "actor_name")
    readonly_fields = (actor, "changes_shown")

    @admin.display(description=_("differences from the default"))
    def changes_shown(self, version: PolicyVersion) -> str:
        """Return the settings that differ from the default policy, with their values."""
        found = changes(PolicyDocument(), stored_document(version.document))
        return "; ".join(f"{one.label} {one.after}" for one in found) or gettext("Default policy")
