"""Read-only records: history, revisions, relevance marks, rules, policies and vectors."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from memory.admin.base import BY_SPACE, ReadOnlyAdmin, actor
from memory.models import (
    Embedder,
    MemoryEmbedding,
    MemoryEvent,
    MemoryRevision,
    PolicyVersion,
    RelevanceMark,
    ReviewRule,
    SavedQuery,
    WorkerHeartbeat,
)
from memory.models.choices import MemoryType
from memory.models.history import Action
from memory.store.history_labels import author_of_rule, why

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
def memory_link(row: MemoryEvent | MemoryRevision | MemoryEmbedding) -> str:
    """Return a link to the row's memory, named by the beginning of its id."""
    url = reverse("admin:memory_memory_change", args=[row.memory_id])
    return format_html('<a href="{}"><code>{}</code></a>', url, str(row.memory_id)[:8])


@admin.register(MemoryEvent)
class MemoryEventAdmin(ReadOnlyAdmin):
    """The history of all memories."""

    list_display = (
        "at", "what", "content_start", memory_link, "space", actor, "reason_shown",
    )  # fmt: skip
    list_filter = (BY_SPACE, ("action", ChoicesDropdownFilter))
    list_select_related = ("space",)
    search_fields = ("content", "actor_name")
    search_help_text = _("Search text, actor or memory ID")
    ordering = ("-pk",)

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[QuerySet[MemoryEvent], bool]:
        """Find events by a memory's id, short or full, or else by text."""
        try:
            return queryset.about(search_term.strip().lower()), False
        except ValueError:
            rows, repeats = super().get_search_results(request, queryset, search_term)
            return rows, repeats

    @display(description=_("action"), label={a.label: c for a, c in _COLOURS.items()})
    def what(self, event: MemoryEvent) -> str:
        """Return the action as a coloured label."""
        return str(Action(event.action).label)

    @admin.display(description=_("reason"))
    def reason_shown(self, event: MemoryEvent) -> str:
        """Return the reason in the reader's language."""
        return why(event)

    @admin.display(description=_("content"))
    def content_start(self, event: MemoryEvent) -> str:
        """Return the first characters of the content."""
        return event.content[:120]


@admin.register(MemoryRevision)
class MemoryRevisionAdmin(ReadOnlyAdmin):
    """Past revisions of memories."""

    list_display = (memory_link, "number", "content", "replaced_at", actor)
    list_filter = (BY_SPACE,)
    search_fields = ("content",)
    ordering = ("-pk",)
    raw_id_fields = ("memory",)
    exclude = ("memory_type",)
    readonly_fields = ("type_shown",)

    @admin.display(description=_("type"))
    def type_shown(self, revision: MemoryRevision) -> str:
        """Return the type in the reader's language."""
        return str(MemoryType(revision.memory_type).label)


@admin.register(MemoryEmbedding)
class MemoryEmbeddingAdmin(ReadOnlyAdmin):
    """Vectors of memories, without their numbers."""

    list_display = (memory_link, "embedder", "space")
    list_filter = ("embedder", BY_SPACE)
    list_select_related = ("embedder", "space")
    exclude = ("vector",)
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[MemoryEmbedding]:
        """Leave the vectors themselves out."""
        rows: QuerySet[MemoryEmbedding] = super().get_queryset(request)
        return rows.defer("vector")


@admin.register(RelevanceMark)
class RelevanceMarkAdmin(ReadOnlyAdmin):
    """Relevance marks made in the lab."""

    list_display = ("query", "memory", "relevant", "made_by", "space", "created_at")
    list_filter = (BY_SPACE, "relevant")
    list_select_related = ("memory", "made_by", "space")
    search_fields = ("query",)
    ordering = ("-pk",)


@admin.register(SavedQuery)
class SavedQueryAdmin(ReadOnlyAdmin):
    """Saved questions of the lab."""

    list_display = ("query", "space", "created_at")
    list_filter = (BY_SPACE,)
    list_select_related = ("space",)
    search_fields = ("query",)
    ordering = ("-pk",)


@admin.register(ReviewRule)
class ReviewRuleAdmin(ReadOnlyAdmin):
    """Rules that decide reviews automatically."""

    list_display = ("kind", "approve", "author", "space", "created_at")
    list_filter = (BY_SPACE,)
    list_select_related = ("space",)
    ordering = ("-pk",)

    @admin.display(description=_("created by"), ordering="made_by")
    def author(self, rule: ReviewRule) -> str:
        """Return who made the rule."""
        return author_of_rule(rule.made_by)


@admin.register(PolicyVersion)
class PolicyVersionAdmin(ReadOnlyAdmin):
    """Versions of the spaces' policies."""

    list_display = ("space", "version", "created_at", actor)
    list_filter = (BY_SPACE,)
    list_select_related = ("space",)
    ordering = ("-pk",)


@admin.register(Embedder, WorkerHeartbeat)
class RegistryAdmin(ReadOnlyAdmin):
    """Embedding models and workers."""

    pass
