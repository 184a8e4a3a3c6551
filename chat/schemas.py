"""The JSON shapes of chat (API.md)."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema

from chat.choices import MAX_MODEL, MAX_SYSTEM_PROMPT, Choices
from chat.models import Message
from chat.services.replies import Reply
from memory.drafts import MAX_CONTENT, Content
from memory.schemas import Limit


class ChoicesIn(Schema):
    """What a conversation goes by from here on; what is left out stays as it is.

    `memory`: `on` recalls and learns, `read_only` only recalls, `off` does neither. `profile` is a
    ranking profile, `model` a name at the configured endpoint; "" is the space's or the settings'.
    """

    memory: Literal["on", "read_only", "off"] | None = None
    profile: str | None = None
    model: Annotated[str, Field(max_length=MAX_MODEL)] | None = None
    system_prompt: Annotated[str, Field(max_length=MAX_SYSTEM_PROMPT)] | None = None

    @property
    def choices(self) -> Choices:
        return Choices(
            memory=self.memory,
            profile=self.profile,
            model=self.model,
            system_prompt=self.system_prompt,
        )


class ChatIn(ChoicesIn):
    """Something said. Without a conversation a new one begins."""

    message: Annotated[Content, Field(max_length=MAX_CONTENT)]
    conversation_id: UUID | None = None
    stream: bool = False


class ChatOut(Schema):
    """A whole reply."""

    conversation_id: UUID
    message_id: UUID
    reply: str
    recalled: list[dict[str, Any]]
    assessment_id: UUID | None
    model: str
    usage: dict[str, int] | None

    @classmethod
    def of(cls, message: Message, reply: Reply) -> "ChatOut":
        return cls(
            conversation_id=message.conversation_id,
            message_id=message.pk,
            reply=reply.content,
            recalled=reply.recalled,
            assessment_id=message.assessment_id,
            model=reply.model,
            usage=reply.usage,
        )


class MessageOut(Schema):
    """A turn of one side."""

    id: UUID
    role: str
    content: str
    state: str
    created_at: datetime
    model: str
    recalled: list[dict[str, Any]]
    assessment_id: UUID | None
    error: str


class ConversationOut(Schema):
    """A conversation, without its messages."""

    id: UUID
    title: str
    memory: str
    profile: str
    model: str
    system_prompt: str
    created_at: datetime
    updated_at: datetime


class ConversationDetail(ConversationOut):
    """A conversation with its messages, in order."""

    messages: list[MessageOut]


class ConversationList(Schema):
    """One page, the one spoken in last first."""

    items: list[ConversationOut]
    next: str | None


class Page(Schema):
    """Place in a list."""

    limit: Limit = 50
    cursor: str | None = None
