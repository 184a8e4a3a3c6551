"""Conversations and their messages."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import ClassVar
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q, Subquery
from django.db.models.functions import MD5, Left, Right
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.personal import PersonalQuerySet, name_field, user_field
from accounts.models.space_rows import SpaceForeignKey, SpaceRow
from accounts.models.zones import zone_field
from chat.models.stored_responses import StoredResponse as StoredResponse
from chat.models.stored_responses import StoredResponseQuerySet as StoredResponseQuerySet
from chat.models.turn_keys import IdempotentTurn as IdempotentTurn
from foundation.moments import in_zone, stored_zone
from foundation.readers import Reader
from foundation.texts.forms import folded

# A reply that is unfinished after this time will never end, because its process is gone.
REPLY_OVERDUE = timedelta(minutes=10)
UNFINISHED = Q(state__in=["pending", "streaming"])


class ConversationQuerySet(PersonalQuerySet["Conversation"]):
    """Queries on conversations; each begins with `in_space`."""

    def in_space(self, space: Space) -> ConversationQuerySet:
        """Return the space's conversations that are not deleted."""
        return self.filter(space_id=space.pk, deleted_at__isnull=True)

    def open_to(self, reader: Reader) -> ConversationQuerySet:
        """Return the conversations that this reader sees, and those that members share with the
        space.

        For pages only: a key's user is not a member.
        """
        if reader.everyone:
            return self
        return self.filter(reader.where() | Q(shared_at__isnull=False))

    def saying(self, text: str) -> ConversationQuerySet:
        """Return conversations whose title or messages contain each word of the text.

        Words are separated by spaces, so a Chinese phrase is found as a whole.
        """
        found = self
        for word in folded(text).split():
            said = Message.objects.shown().filter(
                space_id=OuterRef("space_id"),
                conversation_id=OuterRef("pk"),
                content__folded__contains=word,
            )
            found = found.filter(Q(title__folded__contains=word) | Exists(said))
        return found


class MessageQuerySet(models.QuerySet["Message"]):
    """Queries on messages; each begins with `in_space`."""

    def in_space(self, space: Space) -> MessageQuerySet:
        """Return the messages of this space."""
        return self.filter(space_id=space.pk)

    def readable_by(self, reader: Reader) -> MessageQuerySet:
        """Return the messages of conversations that this reader sees."""
        return self.filter(reader.where("conversation__user_id"))

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
        return self.filter(UNFINISHED, created_at__gt=now - REPLY_OVERDUE)


class MemoryUse(models.TextChoices):
    """The use of memory in a conversation: recall and learn, recall only, or neither."""

    ON = "on", _("memory on")
    READ_ONLY = "read_only", _("memory read-only")
    OFF = "off", _("memory off")


class Conversation(SpaceRow):
    """One thread between a person or a program and the assistant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="conversations", verbose_name=_("space")
    )
    user_id = user_field()  # for whom it recalls and learns; null for a shared conversation
    # The caller's own names, which its memories get.
    agent_id = name_field(_("agent ID"))
    session_id = name_field(_("session ID"))
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
        _("client's conversation ID"), max_length=220, blank=True, db_default=""
    )
    # "" means the default of the space's policy or the settings.
    profile = models.CharField(_("ranking profile"), max_length=32, blank=True, db_default="")
    model = models.CharField(_("model"), max_length=120, blank=True, db_default="")
    system_prompt = models.TextField(_("system prompt"), blank=True, db_default="")
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    time_zone = zone_field()  # of the person at the latest turn
    updated_at = models.DateTimeField(_("last message"), default=timezone.now)
    deleted_at = models.DateTimeField(_("deleted"), null=True, blank=True)
    # From this time on, all members of the space may read it.
    shared_at = models.DateTimeField(_("shared"), null=True, blank=True)

    objects: ClassVar[models.Manager[Conversation]] = ConversationQuerySet.as_manager()

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        indexes = [
            models.Index(fields=["space", "-updated_at", "id"], name="conversation_by_time"),
            models.Index(
                fields=["space", "user_id", "-updated_at", "id"],
                condition=models.Q(user_id__isnull=False),
                name="conversation_by_user",
            ),
            models.Index(
                fields=["space", "external_id"],
                condition=~models.Q(external_id=""),
                name="conversation_by_external_id",
            ),
        ]

    def __str__(self) -> str:
        return self.title or str(self.pk)

    def here(self, now: datetime) -> datetime:
        """Return the moment in the zone of the person at the latest turn."""
        return in_zone(now, stored_zone(self.time_zone))


class Message(SpaceRow):
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
    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    conversation = SpaceForeignKey(
        Conversation, models.CASCADE, related_name="messages", verbose_name=_("conversation")
    )
    position = models.PositiveIntegerField(_("position"))
    role = models.CharField(_("role"), max_length=9, choices=Role)
    # The person who wrote the message or asked for the reply; null if a program names nobody.
    said_by = name_field(_("said by"))
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.DONE)
    leased_until = models.DateTimeField(null=True, blank=True, editable=False)  # by its writer
    content = models.TextField(_("content"), blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    error = models.TextField(_("error"), blank=True)
    error_code = models.CharField(max_length=40, blank=True, db_default="", editable=False)
    model = models.CharField(_("model"), max_length=120, blank=True)
    usage = models.JSONField(_("usage"), null=True, blank=True)
    is_cut = models.BooleanField(
        _("cut off at the model's length limit"), default=False, db_default=False
    )
    # Memories recalled for this reply, and those that said how to answer, as they were then.
    recalled = models.JSONField(_("recalled"), default=list, blank=True)
    standing = models.JSONField(_("standing rules"), default=list, blank=True, db_default=[])
    # The duration of the recall in ms; empty if there was none.
    recall_ms = models.FloatField(_("recall time (ms)"), null=True, blank=True)
    missed = models.JSONField(_("just missed"), default=list, blank=True)
    # The use of each memory (memory.store.uses.Use), by its id; `taken_back` if a person undid it.
    uses = models.JSONField(_("uses"), default=dict, blank=True, db_default={})
    # Each with name, arguments, result, success.
    tool_calls = models.JSONField(_("tool calls"), default=list, blank=True)
    # Set when an edit or a new reply replaced the message: it is kept, but neither shown nor sent.
    replaced_at = models.DateTimeField(_("replaced"), null=True, blank=True)
    # The assessment of the exchange that this reply completed.
    assessment = SpaceForeignKey(
        "assessor.Assessment",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("assessment"),
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
            # Finds the conversation of a client that sends its history (endpoints.completions).
            models.Index("space", MD5("content"), name="message_by_content"),
            # Find messages that a program made of one template (endpoints.completions.gate).
            *(
                models.Index("space", MD5(part), condition=models.Q(role="user"), name=name)
                for part, name in (
                    (Left("content", 120), "message_by_beginning"),
                    (Right("content", 120), "message_by_end"),
                )
            ),
            models.Index(
                fields=["space", "-created_at"],
                condition=models.Q(recall_ms__isnull=False),
                name="message_recalled_by_time",
            ),
            models.Index(fields=["created_at"], condition=UNFINISHED, name="message_unfinished"),
        ]

    def __str__(self) -> str:
        return f"{self.get_role_display()}: {self.content[:60]}"
