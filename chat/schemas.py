"""The JSON shapes of chat (docs/api.md)."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema
from pydantic import AfterValidator, ConfigDict, model_validator

from accounts.authentication import Access
from assessor.llm import ChatMessage
from chat.choices import MAX_MODEL, MAX_SYSTEM_PROMPT, Choices
from chat.models import Conversation, Message
from chat.replies.services import Reply
from chat.why.shown_rules import rules_shown
from foundation.http.requests import Body, Flag, PageIn, UserId, example
from foundation.texts.fields import GivenName, Text, ZoneName
from foundation.texts.names import NO_CONTROL, OPTIONAL_NAME_PATTERN, has_control_characters
from memory.drafts import MAX_CONTENT, Content
from memory.formulas.ranking import PROFILES

MAX_REPLY, MAX_HISTORY = 200_000, 200
MAX_TITLE, MAX_SEARCH = 120, 200


def _on_one_line(name: str) -> str:
    if has_control_characters(name):
        raise ValueError(NO_CONTROL)
    return name


ModelName = Annotated[
    Text,
    AfterValidator(_on_one_line),
    Field(
        max_length=MAX_MODEL,
        json_schema_extra={"pattern": OPTIONAL_NAME_PATTERN},
    ),
]
Standing = Annotated[
    list[dict[str, Any]],
    Field(description="Memories that say how to answer; sent with every message."),
]
Naming = Annotated[
    GivenName | None,
    Field(description="Given to memories learned from this conversation from now on."),
]
Title = Annotated[Content, Field(max_length=MAX_TITLE)]


class ChoicesIn(Body):
    """Settings of a conversation. Omitted fields stay unchanged.

    `memory`: `on` recalls and learns, `read_only` only recalls, `off` does neither. `profile` is a
    ranking profile and `model` a name at the configured endpoint; "" means the default.
    """

    memory: Literal["on", "read_only", "off"] | None = None
    profile: Annotated[str, Field(json_schema_extra={"enum": ["", *PROFILES]})] | None = None
    model: ModelName | None = None
    system_prompt: Annotated[Text, Field(max_length=MAX_SYSTEM_PROMPT)] | None = None

    @property
    def choices(self) -> Choices:
        """The settings as Choices."""
        return Choices(
            memory=self.memory,
            profile=self.profile,
            model=self.model,
            system_prompt=self.system_prompt,
        )


class SaidIn(Body):
    """An earlier message of a private conversation."""

    role: Literal["user", "assistant"]
    content: Annotated[Text, Field(max_length=MAX_REPLY)]


class ChatIn(ChoicesIn):
    """A message. Without `conversation_id` a new conversation begins.

    A `private` conversation is not stored: send its earlier messages as `history`. Memory is
    read-only at most.
    """

    # The rules of the validator below, in JSON Schema.
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"message": "What could I cook tonight?", "stream": False}],
            "if": {"properties": {"private": {"const": True}}, "required": ["private"]},
            "then": {"properties": {"conversation_id": {"type": "null"}}},
            "else": {"properties": {"history": {"maxItems": 0}}},
        }
    )

    message: Annotated[Content, Field(max_length=MAX_CONTENT)]
    conversation_id: UUID | None = None
    private: Flag = False
    history: Annotated[list[SaidIn], Field(max_length=MAX_HISTORY)] = []
    stream: Flag = False
    timezone: ZoneName | None = None
    user_id: UserId = None
    agent_id: Naming = None
    session_id: Naming = None

    @model_validator(mode="after")
    def _private_or_kept(self) -> "ChatIn":
        if self.private and self.conversation_id:
            raise ValueError("must be empty for a private conversation")
        if self.history and not self.private:
            raise ValueError("only allowed for a private conversation")
        return self

    @property
    def choices(self) -> Choices:
        """The settings and names as Choices."""
        return super().choices | Choices(agent_id=self.agent_id, session_id=self.session_id)

    @property
    def said(self) -> list[ChatMessage]:
        """The history with the new message last."""
        earlier = [ChatMessage(turn.role, turn.content) for turn in self.history if turn.content]
        return [*earlier, ChatMessage("user", self.message)]


class AnswerIn(Body):
    """Options for the reply."""

    stream: Flag = False
    timezone: ZoneName | None = None


class ToolCallOut(Schema):
    """A tool call of the model. `text` is the tool's result.

    `arguments` is text if it could not be parsed. `memory` is the memory that the call wrote, in
    its state at the time.
    """

    name: str
    arguments: dict[str, Any] | str
    text: str
    ok: bool
    memory: dict[str, Any] | None


class EditIn(AnswerIn):
    """The new text of an edited message."""

    model_config = example(message="What could I bake tonight?")

    message: Annotated[Content, Field(max_length=MAX_CONTENT)]


class ChatOut(Schema):
    """A whole reply. A private reply has no ids."""

    conversation_id: UUID | None
    message_id: UUID | None
    reply: str
    recalled: list[dict[str, Any]]
    standing: Standing
    tool_calls: list[ToolCallOut]
    assessment_id: UUID | None
    model: str
    usage: dict[str, int] | None

    @classmethod
    def of(cls, message: Message | None, reply: Reply) -> "ChatOut":
        """Return the reply with the ids of its message, if stored."""
        return cls(
            conversation_id=message.conversation_id if message else None,
            message_id=message.pk if message else None,
            reply=reply.content,
            recalled=reply.recalled,
            standing=reply.standing,
            tool_calls=[ToolCallOut(**call) for call in reply.tool_calls],
            assessment_id=message.assessment_id if message else None,
            model=reply.model,
            usage=reply.usage,
        )


class MessageOut(Schema):
    """One message of a conversation."""

    id: UUID
    role: str
    content: str
    state: str
    created_at: datetime
    model: str
    recalled: list[dict[str, Any]]
    standing: Standing
    tool_calls: list[ToolCallOut]
    assessment_id: UUID | None
    error: str


class ConversationChange(ChoicesIn):
    """The new title and settings of a conversation. Omitted fields stay unchanged."""

    model_config = example(title="Dinners", memory="read_only")

    title: Title | None = None


class ConversationOut(Schema):
    """A conversation, without its messages."""

    id: UUID
    user_id: str | None
    agent_id: str | None
    session_id: str | None
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

    @classmethod
    def of(
        cls, conversation: Conversation, messages: Iterable[Message], access: Access
    ) -> "ConversationDetail":
        """Return the conversation with its messages, without rules that the caller may not see."""
        shown = [MessageOut.model_validate(message) for message in messages]
        for message in shown:
            message.standing = rules_shown(message.standing, access)
        return cls.model_validate({**vars(conversation), "messages": shown})


class ConversationList(Schema):
    """One page of conversations, the latest first."""

    items: list[ConversationOut]
    next: str | None


class Search(PageIn):
    """A search for conversations.

    `q` contains words, each of which must be in the title or a message.
    """

    q: Annotated[Text, Field(max_length=MAX_SEARCH)] = ""
