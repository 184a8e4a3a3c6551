"""What callers ask in: bodies, the parts of them that come again, and ids in addresses."""

from typing import Annotated, Any
from uuid import UUID

from ninja import Field, Header, Schema
from pydantic import BaseModel, BeforeValidator, ConfigDict

from memory.drafts import IdempotencyKey
from memory.errors import FieldError, InvalidArguments
from memory.pagination import CURSOR, NUMBERED_CURSOR


class Body(BaseModel):
    """A body: an object that holds nothing unknown. A misspelt field would look obeyed."""

    model_config = ConfigDict(extra="forbid")


def example(**body: Any) -> ConfigDict:
    """`model_config` of a body with an example of it in the API's document."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [body]})


def _a_number(value: object) -> object:
    if isinstance(value, bool | str):
        raise ValueError("must be a number")
    return value


Flag = Annotated[bool, Field(strict=True)]
Count = Annotated[int, Field(ge=1, le=200), BeforeValidator(_a_number)]
Number = Annotated[int, Field(ge=1, le=2_147_483_647), BeforeValidator(_a_number)]

PLACE = "Where the page begins: `next` of the page before it."
Cursor = Annotated[str, Field(description=PLACE, json_schema_extra={"pattern": CURSOR})]
NumberedCursor = Annotated[
    str, Field(description=PLACE, json_schema_extra={"pattern": NUMBERED_CURSOR})
]

Limit = Annotated[int, Field(ge=1, le=200, description="Maximum number of items.")]


class PageIn(Schema):
    """A page of a list: how many rows, and where it begins."""

    limit: Limit = 50
    cursor: Cursor | None = None


class NumberedPageIn(Schema):
    """The same of a list whose rows have numbers and no UUIDs."""

    limit: Limit = 50
    cursor: NumberedCursor | None = None


_WHOLE = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_MEMORY: dict[str, Any] = {"pattern": f"^([0-9a-f]{{8}}|{_WHOLE})$", "example": "f926ff7f"}

MemoryReference = Annotated[str, Field(json_schema_extra=_MEMORY)]
"""A memory's short or whole id; what is neither is refused by memory.access.references."""

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
    """Who or what did it."""

    type: str
    name: str


class Problem(Schema):
    """RFC 9457 problem details, with a stable code; `instance` names the request."""

    type: str
    title: str
    status: int
    code: Annotated[str, Field(description="A stable code for programs.")]
    detail: Annotated[str, Field(description="An explanation for people.")]
    errors: Annotated[
        list[dict[str, str]], Field(description="`field` and `message` of each invalid field.")
    ]
    instance: str


def parse_uuid(reference: str) -> UUID:
    """The id of a thing that has no short one; raises InvalidArguments."""
    try:
        return UUID(reference)
    except ValueError:
        raise InvalidArguments(FieldError("id", "not a UUID")) from None


def may_fail(*statuses: int) -> dict[str, Any]:
    """`openapi_extra` of a call that can be refused for more than its arguments: 404, 409, 503.

    config.openapi adds what any call can be refused for, and what each refusal looks like.
    """
    return {"responses": {status: {} for status in statuses}}


def or_events(*statuses: int) -> dict[str, Any]:
    """The same of a call that answers with server-sent events if it is asked to."""
    event = {
        "type": "object",
        "description": "One event; `data` is JSON.",
        "properties": {
            "event": {"enum": ["recalled", "token", "tool", "done", "error"]},
            "data": {"type": "string"},
        },
        "required": ["event", "data"],
    }
    stream = {"schema": event, "example": 'event: token\ndata: {"text": "Pizza"}\n\n'}
    extra = may_fail(*statuses)
    extra["responses"][200] = {"content": {"text/event-stream": stream}}
    return extra
