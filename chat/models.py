"""Conversations and their messages."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import ClassVar
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q, Subquery
from django.db.models.functions import MD5
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memory.models import Space

# A reply unfinished after this time will never end: its process is gone.
REPLY_OVERDUE = timedelta(minutes=10)


class ConversationQuerySet(models.QuerySet["Conversation"]):
    """Queries on conversations; each begins with `in_space`."""

    def in_space(self, space: Space) -> ConversationQuerySet:
        """Return the space's conversations that are not deleted."""
        return self.filter(space_id=space.pk, deleted_at__isnull=True)

    def saying(self, text: str) -> ConversationQuerySet:
        """Return conversations whose title or messages contain each word of the text.

        Words are separated by spaces, so a Chinese phrase is found as a whole.
        """
        found = self
        for word in text.split():
            said = Message.objects.shown()
            said = said.filter(
                space_id=OuterRef("space_id"),
                conversation_id=OuterRef("pk"),
                content__icontains=word,
            )
            found = found.filter(Q(title__icontains=word) | Exists(said))
        return found


class MessageQuerySet(models.QuerySet["Message"]):
    """Queries on messages; each begins with `in_space`."""

    def in_space(self, space: Space) -> MessageQuerySet:
        """Return the messages of this space."""
        return self.filter(space_id=space.pk)

    def of(self, conversation: Conversation) -> MessageQuerySet:
        """Return the conversation's messages in order."""
        return self.filter(conversation_id=conversation.pk).order_by("position")

    def shown(self) -> MessageQuerySet:
        """Return the messages that were not replaced by an edit or a new reply."""
        return self.filter(replaced_at__isnull=True)

    def answered_before(self, reply: Message) -> MessageQuerySet:
        """Return the earlier replies to the same user message."""
        earlier = self.of(reply.conversation).filter(position__lt=reply.position)
        said = earlier.filter(role="user").order_by("-position").values("position")[:1]
        return earlier.filter(position__gt=Subquery(said))

    def memories_written(self) -> list[UUID]:
        """Return the ids of memories that a model saved by a tool in these replies."""
        calls = [call for made in self.values_list("tool_calls", flat=True) for call in made]
        kept = [call["memory"] for call in calls if call["name"] == "remember" and call["ok"]]
        return [UUID(memory["id"]) for memory in kept]

    def recall_times(self, latest: int) -> list[float]:
        """Return the recall times of the latest replies, in ms."""
        timed = self.filter(recall_ms__isnull=False).order_by("-created_at")
        times = timed.values_list("recall_ms", flat=True)[:latest]
        return [ms for ms in times if ms is not None]

    def under_way(self, now: datetime) -> MessageQuerySet:
        """Return the replies that are pending or being written."""
        return self.filter(state__in=["pending", "streaming"], created_at__gt=now - REPLY_OVERDUE)


class MemoryUse(models.TextChoices):
    """The use of memory in a conversation: recall and learn, recall only, or neither."""

    ON = "on", _("memory on")
    READ_ONLY = "read_only", _("memory read-only")
    OFF = "off", _("memory off")


class Conversation(models.Model):
    """One thread between a person or a program and the assistant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey("memory.Space", models.CASCADE, related_name="conversations")
    title = models.CharField(_("title"), max_length=120, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("started by"),
    )
    memory = models.CharField(
        _("memory"), max_length=9, choices=MemoryUse, default=MemoryUse.ON, db_default=MemoryUse.ON
    )
    # The client's own name for the conversation; "" if it has none.
    external_id = models.CharField(
        _("the client's name for it"), max_length=220, blank=True, db_default=""
    )
    # "" means the default of the space's policy or the settings.
    profile = models.CharField(_("ranking profile"), max_length=32, blank=True, db_default="")
    model = models.CharField(_("model"), max_length=120, blank=True, db_default="")
    system_prompt = models.TextField(_("system prompt"), blank=True, db_default="")
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    updated_at = models.DateTimeField(_("last message"), default=timezone.now)
    deleted_at = models.DateTimeField(_("deleted"), null=True, blank=True)

    objects: ClassVar[models.Manager[Conversation]] = ConversationQuerySet.as_manager()

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        indexes = [
            models.Index(fields=["space", "-updated_at", "id"], name="conversation_by_time"),
            models.Index(
                fields=["space", "external_id"],
                condition=~models.Q(external_id=""),
                name="conversation_by_external_id",
            ),
        ]

    def __str__(self) -> str:
        return self.title or str(self.pk)


class Message(models.Model):
    """One message. A reply's row exists before its first word."""

    class Role(models.TextChoices):
        """The author of a message."""

        USER = "user", _("user")
        ASSISTANT = "assistant", _("assistant")

    class State(models.TextChoices):
        """The states of a message.

        pending → streaming → done | stopped (by the reader's leaving or the stop button) | failed.
        """

        PENDING = "pending", _("pending")
        STREAMING = "streaming", _("streaming")
        DONE = "done", _("done")
        STOPPED = "stopped", _("stopped")
        FAILED = "failed", _("failed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey("memory.Space", models.CASCADE, related_name="+")
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="messages")
    position = models.PositiveIntegerField(_("position"))
    role = models.CharField(_("role"), max_length=9, choices=Role)
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.DONE)
    content = models.TextField(_("content"), blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    error = models.TextField(_("error"), blank=True)
    model = models.CharField(_("model"), max_length=120, blank=True)
    usage = models.JSONField(_("usage"), null=True, blank=True)
    is_cut = models.BooleanField(
        _("cut off at the model's length limit"), default=False, db_default=False
    )
    # The memories recalled for this reply, as shown then: later changes do not alter them.
    recalled = models.JSONField(_("recalled"), default=list, blank=True)
    # The duration of the recall in ms; empty if there was none.
    recall_ms = models.FloatField(_("recall, ms"), null=True, blank=True)
    # The memories that just missed, with the same numbers.
    missed = models.JSONField(_("just missed"), default=list, blank=True)
    # The use of each memory (memory.store.uses.Use), by its id; `taken_back` if a person undid it.
    uses = models.JSONField(_("uses"), default=dict, blank=True, db_default={})
    # The tool calls of this reply: name, arguments, result, success.
    tool_calls = models.JSONField(_("tool calls"), default=list, blank=True)
    # Set when an edit or a new reply replaced the message: it is kept, but not shown or sent to the
    # model.
    replaced_at = models.DateTimeField(_("replaced"), null=True, blank=True)
    # The assessment of the exchange that this reply completed.
    assessment = models.ForeignKey(
        "assessor.Assessment", models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects: ClassVar[models.Manager[Message]] = MessageQuerySet.as_manager()

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "conversation", "position"], name="message_once_per_position"
            )
        ]
        indexes = [
            # Finds the conversation of a client that sends its history (chat.completions).
            models.Index("space", MD5("content"), name="message_by_content"),
            models.Index(
                fields=["space", "-created_at"],
                condition=models.Q(recall_ms__isnull=False),
                name="message_recalled_by_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role}: {self.content[:60]}"
