"""Reads on conversations and messages."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from django.apps import apps
from django.db import models
from django.db.models import Exists, OuterRef, Q, Subquery

if TYPE_CHECKING:
    from chat.models import Conversation, Message  # noqa: F401 - named in the base class
    from memory.models import Space


# A reply that has not ended by then never will: the process that wrote it is gone.
REPLY_OVERDUE = timedelta(minutes=10)


class ConversationQuerySet(models.QuerySet["Conversation"]):
    """Reads on conversations; each begins with `in_space`."""

    def in_space(self, space: Space) -> ConversationQuerySet:
        return self.filter(space_id=space.pk, deleted_at__isnull=True)

    def saying(self, text: str) -> ConversationQuerySet:
        """Those whose title, or something said in them, contains each word of this plain text.

        A word is what stands between spaces: in Chinese a phrase, found as it stands.
        """
        found = self
        for word in text.split():
            said = apps.get_model("chat", "Message").objects.shown()
            said = said.filter(
                space_id=OuterRef("space_id"),
                conversation_id=OuterRef("pk"),
                content__icontains=word,
            )
            found = found.filter(Q(title__icontains=word) | Exists(said))
        return found


class MessageQuerySet(models.QuerySet["Message"]):
    """Reads on messages; each begins with `in_space`."""

    def in_space(self, space: Space) -> MessageQuerySet:
        return self.filter(space_id=space.pk)

    def of(self, conversation: Conversation) -> MessageQuerySet:
        return self.filter(conversation_id=conversation.pk).order_by("position")

    def shown(self) -> MessageQuerySet:
        """Those that stand: not said anew or answered anew since."""
        return self.filter(replaced_at__isnull=True)

    def answered_before(self, reply: Message) -> MessageQuerySet:
        """The replies that stood where this one does, to the same words of the user."""
        earlier = self.of(reply.conversation).filter(position__lt=reply.position)
        said = earlier.filter(role="user").order_by("-position").values("position")[:1]
        return earlier.filter(position__gt=Subquery(said))

    def memories_written(self) -> list[UUID]:
        """The memories that a model remembered by a tool in these replies."""
        calls = [call for made in self.values_list("tool_calls", flat=True) for call in made]
        kept = [call["memory"] for call in calls if call["name"] == "remember" and call["ok"]]
        return [UUID(memory["id"]) for memory in kept]

    def recall_times(self, latest: int) -> list[float]:
        """How long recall took for the latest replies, in ms."""
        timed = self.filter(recall_ms__isnull=False).order_by("-created_at")
        times = timed.values_list("recall_ms", flat=True)[:latest]
        return [ms for ms in times if ms is not None]

    def under_way(self, now: datetime) -> MessageQuerySet:
        """Replies that are being written, or are about to be."""
        return self.filter(state__in=["pending", "streaming"], created_at__gt=now - REPLY_OVERDUE)
