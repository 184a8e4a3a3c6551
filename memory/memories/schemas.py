"""API schemas of memories: lists, batches, search and ranking profiles."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema
from pydantic import Json, PlainValidator, WithJsonSchema

from foundation.http.requests import Body, Count, Cursor, Flag, Limit, UserId
from foundation.moments import end_of, read_moment, spoken, zone_of
from foundation.texts.fields import GivenName, Text, ZoneName
from memory.drafts import Fraction, MemoryAsked, MemoryTypeName, Metadata, Tag
from memory.formulas.ranking import PROFILES, Profile
from memory.models import Memory
from memory.recall.recall import Recall
from memory.recall.results import Result
from memory.recall.times import EARLIEST
from memory.reconciliation.near_duplicates import near_duplicate
from memory.store.schemas import MemoryOut

# A name is checked where it is used, so that the error names the unknown profile.
ProfileName = Annotated[str, Field(json_schema_extra={"enum": list(PROFILES)})]
Order = Literal[
    "current_importance", "-current_importance", "created_at", "-created_at",
    "expires_at", "-expires_at", "use_count", "-use_count",
]  # fmt: skip


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _day_or_moment(given: object) -> date:
    """Return a day that is given without a time, or a moment. Raises ValueError."""
    day = isinstance(given, str) and _DAY.fullmatch(given)
    found = date.fromisoformat(str(given)) if day else read_moment(given)
    if found.year < EARLIEST.year or found.year == date.max.year:
        raise ValueError(f"must not be before {EARLIEST} or after 9998")
    return found


AsOf = Annotated[
    date,
    PlainValidator(_day_or_moment),
    # The year is 1000 or later.
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": "^[1-9]"}),
]


METADATA = (
    'Keeps memories whose metadata fits: a value by its key, such as `{"topic": "house"}`, or '
    'operators, such as `{"n": {"gte": 5}}`: `eq`, `ne`, `in`, `gt`, `gte`, `lt`, `lte`, '
    "`contains`, `exists`. A dot leads to a nested key."
)


class CreatedOut(MemoryOut):
    """A saved memory, and whether another one says the same thing."""

    near_duplicate_of: Annotated[
        UUID | None,
        Field(
            description="Another memory that says the same thing. Save with"
            " `on_duplicate: reinforce` to keep only one."
        ),
    ]

    @staticmethod
    def resolve_near_duplicate_of(memory: Memory) -> UUID | None:
        """Return the id of a memory that says the same thing, or None."""
        return near_duplicate(memory)


class BatchIn(Body):
    """Memories to save, in the order of their conversations."""

    items: Annotated[list[MemoryAsked], Field(min_length=1, max_length=1000)]
    timezone: ZoneName | None = None


class BatchOut(Schema):
    """The saved memories, in the order given; `created` counts the new ones."""

    created: int
    items: list[MemoryOut]


class MemoryListIn(Schema):
    """Filters, order and cursor of a list of memories."""

    memory_type: MemoryTypeName | None = None
    tag: Tag | None = None
    status: Literal["live", "review", "binned"] = "live"
    q: Annotated[Text, Field(description="Words that the content contains.")] | None = None
    agent_id: GivenName | None = None
    session_id: GivenName | None = None
    external_id: GivenName | None = None
    metadata: Annotated[Json[Metadata], Field(description=f"As JSON. {METADATA}")] | None = None
    order: Order = "-created_at"
    limit: Limit = 50
    cursor: Cursor | None = None


class MemoryList(Schema):
    """One page of memories; `next` is the cursor of the next page."""

    items: list[MemoryOut]
    next: str | None


class SearchIn(Body):
    """A search. `explain` adds each result's rank without each signal, and the next few results
    that just missed.
    """

    query: Annotated[
        Text, Field(min_length=1, max_length=20_000, examples=["What does the user eat?"])
    ]
    limit: Count | None = None
    profile: ProfileName | None = None
    memory_types: list[MemoryTypeName] = []
    tags: list[Tag] = []
    min_relevance: Annotated[
        Fraction, Field(description="Leaves out results with a lower relevance.")
    ] = 0.0
    explain: Flag = False
    user_id: UserId = None
    agent_id: GivenName | None = None
    session_id: GivenName | None = None
    metadata: Annotated[Metadata, Field(description=METADATA)] = {}
    as_of: Annotated[
        AsOf | None,
        Field(
            description="Answers as if asked at that moment, with what was true then. A day without"
            " a time means its last moment."
        ),
    ] = None
    timezone: ZoneName | None = None

    def moment(self, now: datetime) -> datetime | None:
        """Return `as_of` as a moment in the speaker's zone, which is that of `now`."""
        if self.as_of is None:
            return None
        if isinstance(self.as_of, datetime):
            return spoken(self.as_of, zone_of(now))
        return end_of(self.as_of, now)


class ResultOut(Schema):
    """A memory that was found. The contributions add up to its score.

    With `explain` also its `rank` among all ranked memories, 1 being the best, and `rank_without`:
    its rank with each of the profile's signals ignored.
    """

    memory: MemoryOut
    similarity: Annotated[float, Field(description="Cosine similarity of question and memory.")]
    match: Annotated[str, Field(examples=["92% match"])]
    relevance: Annotated[
        float, Field(description="Probability that the memory helps with the query, 0 to 1.")
    ]
    score: float
    signals: Annotated[
        dict[str, float], Field(description="semantic, lexical, recency, importance, each 0 to 1.")
    ]
    contributions: Annotated[
        dict[str, float], Field(description="The parts that add up to the score.")
    ]
    rank: int | None
    rank_without: dict[str, int]

    @classmethod
    def of(cls, result: Result) -> "ResultOut":
        """Return the result as JSON fields, without validation."""
        values = {name: getattr(result, name) for name in cls.model_fields if name != "memory"}
        return cls.model_construct(**values, memory=MemoryOut.of(result.memory))


class SearchOut(Schema):
    """The results of a search, best first. `missed` lists the next few (only with `explain`)."""

    query: str
    profile: str
    took_ms: float
    results: list[ResultOut]
    missed: list[ResultOut]

    @classmethod
    def of(cls, found: Recall) -> "SearchOut":
        """Return the answer without validating it, which would take half as long as the search."""
        return cls.model_construct(
            query=found.query,
            profile=found.profile.name,
            took_ms=found.took_ms,
            results=[ResultOut.of(result) for result in found.results],
            missed=[ResultOut.of(result) for result in found.missed],
        )


class ProfileOut(Schema):
    """A ranking profile."""

    name: str
    weights: dict[str, float]
    order: str
    candidates: str | None
    limit: int | None
    source: str


class ProfileList(Schema):
    """All ranking profiles, on one page."""

    items: list[ProfileOut]
    next: None = None

    @classmethod
    def of(cls, profiles: Sequence[Profile]) -> "ProfileList":
        """Return the profiles as one page."""
        return cls(items=[ProfileOut.from_orm(profile) for profile in profiles])


def memories_out(memories: Sequence[Memory]) -> list[dict[str, Any]]:
    """Return memories as plain JSON, for storage with a reply or for an event."""
    return [MemoryOut.of(memory).model_dump(mode="json") for memory in memories]


def results_out(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return search results as plain JSON, for storage with a reply or for an event."""
    return [ResultOut.of(result).model_dump(mode="json") for result in results]
