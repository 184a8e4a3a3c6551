"""API schemas of keys and the audit log."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema
from pydantic import BeforeValidator

from accounts.models import ApiKey, AuditEntry
from foundation.http.requests import ActorOut, Body, Flag, a_number, example
from foundation.texts.fields import Moment, Text, UserName

ScopeName = Literal["read", "write", "admin"]
Name = Annotated[Text, Field(max_length=120)]
RateLimit = Annotated[int, Field(ge=1, le=100_000), BeforeValidator(a_number)]


class KeyIn(Body):
    """A key to create: its name, scopes, expiry and rate limit in requests per minute.

    A key with a `user_id` acts for this user only, and cannot have the scope `admin`. Without
    `learns`, its requests teach nothing.
    """

    model_config = example(name="my robot", scopes=["read", "write"], rate_limit=60)

    name: Name = ""
    scopes: Annotated[list[ScopeName], Field(min_length=1)]
    expires_at: Moment | None = None
    rate_limit: RateLimit | None = None
    user_id: UserName | None = None
    learns: Flag = True


class KeyChangeIn(Body):
    """The changes to a key. Omitted fields keep their values; null removes an expiry or limit."""

    model_config = example(name="my other robot", rate_limit=None)

    name: Name = ""
    expires_at: Moment | None = None
    rate_limit: RateLimit | None = None
    learns: Flag = True


class RotateIn(Body):
    """The number of hours for which the old secret still works, 0 to 168."""

    grace_hours: Annotated[float, Field(strict=True, ge=0, le=168, allow_inf_nan=False)] = 24


class KeyOut(Schema):
    """A key without its secret. `status` is `live`, `expired` or `revoked`."""

    id: UUID
    name: str
    prefix: str
    scopes: list[str]
    user_id: Annotated[str | None, Field(description="The only user for whom the key may act.")]
    status: str
    rate_limit: int | None
    # False: its requests recall and are answered, but teach nothing.
    learns: bool
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    previous_secret_until: datetime | None
    revoked_at: datetime | None

    @classmethod
    def of(cls, key: ApiKey, now: datetime) -> "KeyOut":
        """Return the key as it is at `now`."""
        return cls(**_shown(key, now))


class NewKeyOut(KeyOut):
    """A key with its secret, which is shown only once."""

    secret: str

    @classmethod
    def with_secret(cls, key: ApiKey, secret: str, now: datetime) -> "NewKeyOut":
        """Return the key as it is at `now`, with its secret."""
        return cls(**_shown(key, now), secret=secret)


def _shown(key: ApiKey, now: datetime) -> dict[str, Any]:
    same = (
        "name", "prefix", "scopes", "user_id", "rate_limit", "learns", "created_at", "expires_at",
        "last_used_at", "revoked_at",
    )  # fmt: skip
    return {
        "id": key.public_id,
        "status": key.state(now),
        "previous_secret_until": key.earlier_until(now),
        **{field: getattr(key, field) for field in same},
    }


class KeyList(Schema):
    """One page of keys; `next` is the cursor of the next page."""

    items: list[KeyOut]
    next: str | None


class AuditOut(Schema):
    """One change to a space's keys, members or webhooks."""

    id: int
    at: datetime
    actor: ActorOut
    action: str
    subject: str
    detail: dict[str, Any]

    @staticmethod
    def resolve_actor(entry: AuditEntry) -> dict[str, str]:
        """Return the actor's columns as one object."""
        return {"type": entry.actor_type, "name": entry.actor_name}


class AuditList(Schema):
    """One page of the audit log; `next` is the cursor of the next page."""

    items: list[AuditOut]
    next: str | None
