"""Read-only records: history, revisions, relevance marks, rules, policies and vectors."""

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

from accounts.models import Embedder
from memory.admin.base import BY_SPACE, STARTS, OperatorsAdmin, ReadOnlyAdmin, actor
from memory.embeddings import provider_name
from memory.models import (
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
from memory.policies.form import changes
from memory.policy import PolicyDocument, stored_document
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
    """Return a link to the row's memory, named by the beginning of its text, or of its id."""
    text = row.memory.content if isinstance(row, MemoryEmbedding) else row.content
    url = reverse("admin:memory_memory_change", args=[row.memory_id])
    return format_html('<a href="{}">{}</a>', url, text[:STARTS] or str(row.memory_id)[:8])


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


@admin.register(MemoryRevision)
class MemoryRevisionAdmin(ReadOnlyAdmin):
    """Past revisions of memories."""

    list_display = ("content_start", "number", "space", "replaced_at", actor)
    list_filter = (BY_SPACE,)
    list_select_related = ("space",)
    search_fields = ("content",)
    ordering = ("-pk",)
    raw_id_fields = ("memory",)
    exclude = ("memory_type", "actor_type", "actor_name", "reason")
    readonly_fields = ("type_shown", actor, "reason_shown")

    @admin.display(description=_("content"))
    def content_start(self, revision: MemoryRevision) -> str:
        """Return the first characters of the content."""
        return revision.content[:STARTS]

    @admin.display(description=_("reason"))
    def reason_shown(self, revision: MemoryRevision) -> str:
        """Return the reason in the reader's language."""
        return why(revision)

    @admin.display(description=_("type"))
    def type_shown(self, revision: MemoryRevision) -> str:
        """Return the type in the reader's language."""
        return str(MemoryType(revision.memory_type).label)


@admin.register(MemoryEmbedding)
class MemoryEmbeddingAdmin(ReadOnlyAdmin):
    """Vectors of memories, without their numbers."""

    list_display = (memory_link, "embedder", "space")
    list_filter = ("embedder", BY_SPACE)
    list_select_related = ("embedder", "space", "memory")
    exclude = ("vector",)
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[MemoryEmbedding]:
        """Leave the vectors themselves out."""
        rows: QuerySet[MemoryEmbedding] = super().get_queryset(request)
        return rows.defer("vector", "memory__search", "memory__facets", "memory__topics")


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


@admin.register(Embedder)
class EmbedderAdmin(OperatorsAdmin, ReadOnlyAdmin):
    """Embedding models."""

    list_display = ("model", "provider_shown", "dimensions")
    ordering = ("pk",)
    exclude = ("provider",)
    readonly_fields = ("provider_shown",)

    @admin.display(description=_("provider"), ordering="provider")
    def provider_shown(self, embedder: Embedder) -> str:
        """Return the provider's name."""
        return str(provider_name(embedder.provider))


@admin.register(WorkerHeartbeat)
class WorkerHeartbeatAdmin(OperatorsAdmin, ReadOnlyAdmin):
    """The last signs of life of workers and of the scheduler."""

    list_display = ("queue", "at")
    ordering = ("queue",)
