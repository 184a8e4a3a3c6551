"""Shapes: the rules of a space, what other rules would do, and a sweep's answer."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Field, Schema
from pydantic import WithJsonSchema

from memory.drafts import Moment, Text
from memory.models import Memory
from memory.policies.preview import MAX_QUERIES
from memory.policy import PolicyDocument
from memory.requests import Body, example


def _inlined(schema: Any, parts: dict[str, Any]) -> Any:
    """A JSON schema without references."""
    if isinstance(schema, list):
        return [_inlined(item, parts) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(parts[schema["$ref"].rsplit("/", 1)[1]], parts)
    return {name: _inlined(value, parts) for name, value in schema.items() if name != "$defs"}


_DOCUMENT = PolicyDocument.model_json_schema()

# None of its fields is required: a part of a document has the same schema as a whole one.
PolicyChanges = Annotated[
    dict[str, Any],
    WithJsonSchema(
        _inlined(_DOCUMENT, _DOCUMENT.get("$defs", {}))
        | {"examples": [{"capacity": 500, "ttl": {"low_days": 10}}]}
    ),
]


class VersionOut(Schema):
    """The number of a version of the rules."""

    version: int


class PolicyOut(PolicyDocument, VersionOut):
    """All the rules, after the number of this version of them."""


class PreviewIn(Body):
    """Changes as for PATCH, questions to rank by them, and a time to come."""

    model_config = example(changes={"capacity": 500}, queries=["What does the user eat?"])

    changes: PolicyChanges = {}
    queries: Annotated[
        list[Annotated[Text, Field(min_length=1, max_length=20_000)]],
        Field(max_length=MAX_QUERIES),
    ] = []
    as_of: Moment | None = None


class FateOut(Schema):
    """A memory in short, and why it would go or stay."""

    id: UUID
    short_id: str
    content: str
    importance: float
    current_importance: float
    expires_at: datetime | None
    rank: int | None
    why: str

    @staticmethod
    def resolve_expires_at(memory: Memory) -> datetime | None:
        return memory.would_expire_at  # type: ignore[attr-defined, no-any-return]  # annotated by the preview


class CountsOut(Schema):
    """How many memories would go and stay; the lists hold the first 200 of each."""

    would_expire: int
    would_evict: int
    would_stay: int


class RankedOut(Schema):
    """A search result in short."""

    id: UUID
    short_id: str
    content: str
    score: float
    rank: int


class RankingOut(Schema):
    """What a question finds by the rules that hold, and by the changed ones."""

    query: str
    before: list[RankedOut]
    after: list[RankedOut]


class PreviewOut(Schema):
    """What other rules would do."""

    would_expire: list[FateOut]
    would_evict: list[FateOut]
    would_stay: list[FateOut]
    counts: CountsOut
    rankings: list[RankingOut]


class SweptOut(Schema):
    """How many memories a sweep let go."""

    expired: int
    evicted: int
    purged: int
