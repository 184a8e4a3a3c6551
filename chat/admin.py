"""The read-only admin pages of conversations."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from chat.models import Conversation, Message
from memory.admin import BY_SPACE, ReadOnlyAdmin


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    """List conversations, read-only."""

    list_display = ("title", "space", "created_by", "updated_at", "deleted_at")
    list_filter = (BY_SPACE, ("updated_at", admin.DateFieldListFilter))
    list_select_related = ("space", "created_by")
    search_fields = ("title",)
    ordering = ("-updated_at", "-pk")


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    """List messages, read-only."""

    list_display = ("content_start", "role", "state", "model", "space", "created_at")
    list_filter = (
        BY_SPACE, ("role", ChoicesDropdownFilter), ("state", ChoicesDropdownFilter),
        ("created_at", admin.DateFieldListFilter),
    )  # fmt: skip
    list_select_related = ("space",)
    search_fields = ("content",)
    ordering = ("-created_at", "-pk")
    raw_id_fields = ("conversation", "assessment")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        """Leave the long columns out of lists."""
        rows: QuerySet[Message] = super().get_queryset(request)
        return rows.defer("recalled", "standing", "missed", "uses", "tool_calls")

    @admin.display(description=_("content"))
    def content_start(self, message: Message) -> str:
        """Return the first 160 characters of the message, or a dash, which links to it."""
        return message.content[:160] or "-"
