"""Schemas of webhooks and deliveries."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema

from foundation.http.requests import Flag, example
from foundation.texts.fields import Text

EventName = Literal[
    "memory.created", "memory.revised", "memory.superseded", "memory.expired", "memory.evicted",
    "memory.deleted", "memory.restored", "memory.purged", "memory.held", "user.erased",
    "assessment.failed",
]  # fmt: skip
Url = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=2000,
        json_schema_extra={
            "pattern": "^https?://",
            "example": "https://a.example",
        },
    ),
]
Events = Annotated[list[EventName], Field(min_length=1)]


class WebhookIn(Schema):
    """A URL, and the events sent to it."""

    model_config = example(url="https://a.example/ebb", events=["memory.created"])

    url: Url
    events: Events


class WebhookChangeIn(Schema):
    """The changes to a webhook; omitted fields stay unchanged."""

    model_config = example(active=False)

    url: Url | None = None
    events: Events | None = None
    active: Flag | None = None


class WebhookOut(Schema):
    """A webhook without its secret. `switched_off` is the reason, if Ebb switched it off."""

    id: UUID
    url: str
    events: list[str]
    active: bool
    switched_off: str
    created_at: datetime


class NewWebhookOut(WebhookOut):
    """A webhook with the secret that signs its messages; the secret is shown only once."""

    secret: str


class WebhookList(Schema):
    """One page; `next` is the cursor of the following page."""

    items: list[WebhookOut]
    next: str | None


class DeliveryOut(Schema):
    """A message and its delivery. `status` is `pending`, `delivered` or `failed`; while it is
    pending, `due_at` is the next attempt. `response_status` and `response` are the receiver's last
    response."""

    id: UUID
    webhook_id: UUID
    event: str
    payload: dict[str, Any]
    status: Annotated[str, Field(validation_alias="state")]
    attempts: int
    created_at: datetime
    due_at: datetime
    tried_at: datetime | None
    took_ms: float | None
    response_status: Annotated[int | None, Field(validation_alias="status")]
    response: str
    error: str


class DeliveryList(Schema):
    """One page; `next` is the cursor of the following page."""

    items: list[DeliveryOut]
    next: str | None
