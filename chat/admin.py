"""The admin over conversations, for reading."""

from django.contrib import admin

from chat.models import Conversation, Message
from memory.admin import ReadOnlyAdmin


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    list_display = ("title", "space", "created_by", "updated_at", "deleted_at")
    list_filter = ("space",)
    list_select_related = ("space", "created_by")
    search_fields = ("title",)
    date_hierarchy = "updated_at"


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    list_display = ("content", "role", "state", "model", "space", "created_at")
    list_filter = ("role", "state", "space")
    list_select_related = ("space",)
    search_fields = ("content",)
