"""API schemas of memories: lists, batches, search and ranking profiles."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from ninja import Field, Schema

from memory.drafts import MemoryAsked, MemoryTypeName, Tag, Text
from memory.formulas.ranking import PROFILES, Profile
from memory.recall.recall import Recall, Result
from memory.requests import Body, Count, Cursor, Flag, Limit
from memory.store.schemas import MemoryOut

# A name is checked where it is used, so that the error names the unknown profile.
ProfileName = Annotated[str, Field(json_schema_extra={"enum": list(PROFILES)})]
Order = Literal[
    "current_importance", "-current_importance", "created_at", "-created_at",
    "expires_at", "-expires_at", "use_count", "-use_count",
]  # fmt: skip


class BatchIn(Body):
    """Memories to save, in the order of their conversations."""

    items: Annotated[list[MemoryAsked], Field(min_length=1, max_length=1000)]


class BatchOut(Schema):
    """The saved memories, in the order given; `created` counts the new ones."""

    created: int
    items: list[MemoryOut]


class MemoryListIn(Schema):
    """Filters, order and cursor of a list of memories."""

    memory_type: MemoryTypeName | None = None
    tag: Tag | None = None
    status: Literal["live", "review", "binned"] = "live"
    q: Annotated[Text, Field(description="Words that stand in the content.")] | None = None
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
    explain: Flag = False


class ResultOut(Schema):
    """A memory found; the contributions sum to the score.

    With `explain` also its `rank` among all ranked memories, 1 being the best, and `rank_without`:
    its rank with each of the profile's signals ignored.
    """

    memory: MemoryOut
    similarity: Annotated[float, Field(description="Cosine similarity of question and memory.")]
    match: Annotated[str, Field(examples=["92% match"])]
    score: float
    signals: Annotated[
        dict[str, float], Field(description="semantic, lexical, recency, importance, each 0 to 1.")
    ]
    contributions: Annotated[dict[str, float], Field(description="They sum to the score.")]
    rank: int | None
    rank_without: dict[str, int]

    @classmethod
    def of(cls, result: Result) -> "ResultOut":
        """Return the result as JSON fields, without validation."""
        values = {name: getattr(result, name) for name in cls.model_fields if name != "memory"}
        return cls.model_construct(**values, memory=MemoryOut.of(result.memory))


class SearchOut(Schema):
    """The results of a search, best first; `missed` is the next few (only with `explain`)."""

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


def results_out(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return search results as plain JSON, for storage with a reply or for an event."""
    return [ResultOut.of(result).model_dump(mode="json") for result in results]
