"""Shared schemas of API requests: bodies, pages, and ids in URLs."""

from typing import Annotated, Any
from uuid import UUID

from ninja import Field, Header, Schema
from pydantic import BaseModel, BeforeValidator, ConfigDict

from foundation.errors import FieldError, InvalidArguments
from foundation.http.pagination import CURSOR, NUMBERED_CURSOR
from foundation.texts.fields import IdempotencyKey
from foundation.texts.names import MAX_NAME, NAME_PATTERN

UserId = Annotated[
    Annotated[str, Field(max_length=MAX_NAME, json_schema_extra={"pattern": NAME_PATTERN})] | None,
    Field(
        description="The user for whom the call acts: it sees this user's memories and the shared "
        "ones. Without it, the shared ones only. `*` means everybody and needs the scope `admin`.",
    ),
]


class Body(BaseModel):
    """Base of request bodies. Unknown fields are rejected, so a misspelt one is not ignored."""

    model_config = ConfigDict(extra="forbid")


def example(**body: Any) -> ConfigDict:
    """Return the `model_config` of a body, with an example for the API document."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [body]})


def a_number(value: object) -> object:
    """Return the value; raise ValueError for true and "5". 5.0 counts as 5, as in JSON."""
    if isinstance(value, bool | str):
        raise ValueError("must be a number")
    return value


Flag = Annotated[bool, Field(strict=True)]
Count = Annotated[int, Field(ge=1, le=200), BeforeValidator(a_number)]
Number = Annotated[int, Field(ge=1, le=2_147_483_647), BeforeValidator(a_number)]

PLACE = "The cursor: `next` of the previous page."
Cursor = Annotated[str, Field(description=PLACE, json_schema_extra={"pattern": CURSOR})]
NumberedCursor = Annotated[
    str, Field(description=PLACE, json_schema_extra={"pattern": NUMBERED_CURSOR})
]

Limit = Annotated[int, Field(ge=1, le=200, description="Maximum number of items.")]


class PageIn(Schema):
    """A page of a list: the number of rows, and the cursor where it begins."""

    limit: Limit = 50
    cursor: Cursor | None = None


class NumberedPageIn(Schema):
    """A page of a list whose rows have numbers as ids."""

    limit: Limit = 50
    cursor: NumberedCursor | None = None


_WHOLE = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_MEMORY: dict[str, Any] = {
    "pattern": f"^([0-9a-f]{{6}}|[0-9a-f]{{8}}|{_WHOLE})$",
    "example": "f926ff7f",
}

MemoryReference = Annotated[str, Field(json_schema_extra=_MEMORY)]
"""A memory's short or whole id, or its id in a file of seed 000; memory.references rejects
anything else."""

MemoryId = Annotated[
    str, Field(description="The memory's id, short or full.", json_schema_extra=_MEMORY)
]
RowId = Annotated[
    str,
    Field(description="Its id.", json_schema_extra={"format": "uuid", "pattern": f"^{_WHOLE}$"}),
]
OnceOnly = Annotated[
    IdempotencyKey | None,
    Header(
        alias="Idempotency-Key",
        description="Repeat a call safely: a second call with the same key returns the first "
        "call's answer.",
    ),
]


class ActorOut(Schema):
    """The actor of a change."""

    type: str
    name: str


class Problem(Schema):
    """RFC 9457 problem details, with a stable code; `instance` identifies the request."""

    type: str
    title: str
    status: int
    code: Annotated[str, Field(description="A stable code for programs.")]
    detail: Annotated[str, Field(description="An explanation for people.")]
    errors: Annotated[
        list[dict[str, str]], Field(description="`field` and `message` of each invalid field.")
    ]
    instance: str
    kept: Annotated[
        dict[str, str],
        Field(
            default_factory=dict,
            description="`conversation_id` and `message_id` of what was stored in spite of the "
            "error; absent if nothing was.",
        ),
    ]


def parse_uuid(reference: str) -> UUID:
    """Return the UUID of an object that has no short id; raises InvalidArguments."""
    try:
        return UUID(reference)
    except ValueError:
        raise InvalidArguments(FieldError("id", "not a UUID")) from None


def may_fail(*statuses: int) -> dict[str, Any]:
    """Return the `openapi_extra` of a call that can also answer 404, 409 or 503.

    config.api.openapi adds the errors that any call can answer, and the schema of each.
    """
    return {"responses": {status: {} for status in statuses}}


def or_events(*statuses: int) -> dict[str, Any]:
    """Return `may_fail` of these statuses for a call that can answer with server-sent events."""
    kinds = "Events `recalled`, `token`, `tool`, `done` and `error`; their `data` is JSON."
    # No type: some readers take the stream for a text, others for a list of events.
    stream = {
        "schema": {"description": kinds},
        "example": 'event: token\ndata: {"text": "Pizza"}\n\n',
    }
    extra = may_fail(*statuses)
    extra["responses"][200] = {"content": {"text/event-stream": stream}}
    return extra
