"""Reads on conversations and messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from chat.models import Conversation, Message  # noqa: F401 - named in the base class
    from memory.models import Space


class ConversationQuerySet(models.QuerySet["Conversation"]):
    """Reads on conversations; each begins with `in_space`."""

    def in_space(self, space: Space) -> ConversationQuerySet:
        return self.filter(space_id=space.pk, deleted_at__isnull=True)


class MessageQuerySet(models.QuerySet["Message"]):
    """Reads on messages; each begins with `in_space`."""

    def in_space(self, space: Space) -> MessageQuerySet:
        return self.filter(space_id=space.pk)

    def of(self, conversation: Conversation) -> MessageQuerySet:
        return self.filter(conversation_id=conversation.pk).order_by("position")
