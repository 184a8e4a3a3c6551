"""API schemas of the policy, its preview and the sweep."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Field, Schema
from pydantic import WithJsonSchema

from foundation.http.requests import Body, example
from foundation.texts.fields import Moment, Text
from memory.models import Memory
from memory.policies.preview import MAX_QUERIES
from memory.policy import PolicyDocument


def _inlined(schema: Any, parts: dict[str, Any]) -> Any:
    """Return a JSON schema with its references replaced by their targets."""
    if isinstance(schema, list):
        return [_inlined(item, parts) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(parts[schema["$ref"].rsplit("/", 1)[1]], parts)
    return {name: _inlined(value, parts) for name, value in schema.items() if name != "$defs"}


_DOCUMENT = PolicyDocument.model_json_schema()

# No field is required: a part of a document has the same schema as a whole one.
PolicyChanges = Annotated[
    dict[str, Any],
    WithJsonSchema(
        _inlined(_DOCUMENT, _DOCUMENT.get("$defs", {}))
        | {"examples": [{"capacity": 500, "ttl": {"low_days": 10}}]}
    ),
]


class VersionOut(Schema):
    """The number of a version of the policy."""

    version: int


class PolicyOut(PolicyDocument, VersionOut):
    """The whole policy, with its version number."""


class PreviewIn(Body):
    """Policy changes as for PATCH, questions to rank, and an optional later time."""

    model_config = example(changes={"capacity": 500}, queries=["What does the user eat?"])

    changes: PolicyChanges = {}
    queries: Annotated[
        list[Annotated[Text, Field(min_length=1, max_length=20_000)]],
        Field(max_length=MAX_QUERIES),
    ] = []
    as_of: Moment | None = None


class FateOut(Schema):
    """A short memory with the reason why it would be removed or kept."""

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
        """Return the end of the memory's lifetime under the previewed policy."""
        return memory.would_expire_at  # type: ignore[attr-defined, no-any-return]  # annotated by the preview


class CountsOut(Schema):
    """The numbers of memories that would be removed and kept; the lists contain the first 200 of
    each.
    """

    would_expire: int
    would_evict: int
    would_stay: int


class RankedOut(Schema):
    """A short search result."""

    id: UUID
    short_id: str
    content: str
    score: float
    rank: int


class RankingOut(Schema):
    """A question's results under the policy in effect and under the changed one."""

    query: str
    before: list[RankedOut]
    after: list[RankedOut]


class StandingOut(Schema):
    """A short memory that says how to answer."""

    id: UUID
    short_id: str
    content: str
    current_importance: float


class PreviewOut(Schema):
    """The effect of policy changes."""

    would_expire: list[FateOut]
    would_evict: list[FateOut]
    would_stay: list[FateOut]
    counts: CountsOut
    standing: Annotated[
        list[StandingOut],
        Field(description="Memories that would be sent with every message."),
    ]
    rankings: list[RankingOut]


class SweptOut(Schema):
    """The numbers of memories that a sweep removed."""

    expired: int
    evicted: int
    purged: int
