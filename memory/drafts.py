"""Requests to save or change a memory, validated before anything is written.

Every caller (API, tools, assessor, pages) builds one of these; services accept nothing else.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
)

from foundation.moments import spoken, zone_of
from foundation.texts.fields import GivenName, Id, JsonObject, Spoken, Text, UserName, ZoneName
from foundation.texts.forms import tag_form
from memory.formulas.importance import DEFAULT_TYPE, TYPE_IMPORTANCE, base_importance, emotion
from memory.metadata import bounded

MAX_CONTENT = 20_000  # characters
MAX_TAGS = 20
DOCUMENT = "document"
"""The source role of a memory from a document, which was not said to the assistant. The memory's
metadata names the `document` and the `page`.
"""

MemoryTypeName = Literal[
    "identity", "goal", "decision", "todo", "preference", "fact", "event", "observation"
]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


def _each_once(words: list[str]) -> list[str]:
    return list(dict.fromkeys(words))


# The patterns of texts in the JSON schemas; the functions above enforce them.
_SAYING = {"pattern": r"^[^\u0000]*[^\s\u0000][^\u0000]*$"}

Metadata = Annotated[JsonObject, AfterValidator(bounded)]
Content = Annotated[
    Text, AfterValidator(_not_blank), Field(max_length=MAX_CONTENT, json_schema_extra=_SAYING)
]
Tag = Annotated[
    Text,
    AfterValidator(_not_blank),
    AfterValidator(tag_form),
    Field(max_length=60, json_schema_extra=_SAYING),
]
Topic = Annotated[
    Text, AfterValidator(_not_blank), Field(max_length=120, json_schema_extra=_SAYING)
]
# A repeated tag is kept once.
Tags = Annotated[list[Tag], Field(max_length=MAX_TAGS), AfterValidator(_each_once)]
Topics = Annotated[list[Topic], Field(max_length=MAX_TAGS), AfterValidator(_each_once)]
# strict: neither "high", nor "0.7", nor true is a number (seed 002, AC-2)
Fraction = Annotated[float, Field(strict=True, ge=0.0, le=1.0, allow_inf_nan=False)]
Signed = Annotated[float, Field(strict=True, ge=-1.0, le=1.0, allow_inf_nan=False)]


class Facets(BaseModel):
    """The scores of seed 003, section 2. E is computed from valence and intensity unless given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    P: Fraction
    I: Fraction = 0.0  # noqa: E741 - the seed's own name
    J: Fraction = 0.0
    E: Fraction | None = None
    valence: Signed = 0.0
    intensity: Fraction = 0.0

    @property
    def emotion(self) -> float:
        """The emotion E: the given one, else the formula of seed 003, section 2.2."""
        return emotion(self.valence, self.intensity) if self.E is None else self.E

    @property
    def importance(self) -> float:
        """The importance, infoImportance of seed 003, section 3."""
        return base_importance(self.P, self.emotion, self.I, self.J)

    def stored(self) -> dict[str, float]:
        """Return all six numbers, as a memory stores them."""
        return self.model_dump() | {"E": self.emotion}


class Source(BaseModel):
    """The origin of a memory, as free text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Annotated[Text, Field(max_length=20)] = "user"
    speaker: Annotated[Text, Field(max_length=120)] = ""
    conversation_id: Annotated[Id, Field(max_length=200)] | None = None


_EXAMPLE: dict[str, Any] = {
    "content": "User likes pizza",
    "memory_type": "preference",
    "tags": ["food"],
}


class MemoryDraft(BaseModel):
    """A memory to save. Its importance is the given one, else computed from the facets, else the
    type's default (seed 002, AC-1); the default type is observation (AC-5).
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_extra={"examples": [_EXAMPLE]}
    )

    content: Content
    memory_type: MemoryTypeName | None = None
    importance: Fraction | None = None
    facets: Facets | None = None
    tags: Tags = []
    topics: Topics = []
    pinned: Annotated[bool, Field(strict=True)] = False
    created_at: Annotated[
        Spoken | None,
        Field(
            description="When it was said: ISO 8601, or seconds since 1970. Its offset is the "
            "speaker's; without one it is in the speaker's zone. Not before 1970, nor more than a "
            "day in the future."
        ),
    ] = None
    source: Source = Source()
    user_id: UserName | None = None
    agent_id: GivenName | None = None
    session_id: GivenName | None = None
    external_id: GivenName | None = None
    metadata: Metadata = {}

    @property
    def names(self) -> dict[str, Any]:
        """The user, and the caller's own names and values."""
        return {
            name: getattr(self, name)
            for name in ("user_id", "agent_id", "session_id", "external_id", "metadata")
        }

    @property
    def type_name(self) -> str:
        """The type, or the default one."""
        return self.memory_type or DEFAULT_TYPE

    @property
    def base_importance(self) -> float:
        """The given importance, else that of the facets, else the type's default."""
        if self.importance is not None:
            return self.importance
        if self.facets is not None:
            return self.facets.importance
        return TYPE_IMPORTANCE[self.type_name]

    @property
    def core(self) -> bool:
        """True for P = 1: a lasting trait that time does not fade (seed 003, section 1)."""
        return self.facets is not None and self.facets.P == 1.0

    def starts_at(self, now: datetime) -> datetime:
        """Return the given creation time, else `now`, in the zone of the speaker: without one of
        its own it is in that of `now`."""
        if self.created_at is None:
            return now
        given = self.created_at
        return given if given.tzinfo else spoken(given, zone_of(now))


class MemoryAsked(MemoryDraft):
    """A memory to save; with `on_duplicate`, Ebb may reinforce an existing memory instead."""

    on_duplicate: Literal["reinforce"] | None = None
    timezone: ZoneName | None = None


class MemoryChange(BaseModel):
    """The changes to a memory; omitted fields keep their values. A change of `user_id` needs the
    scope `admin`; null shares the memory with all users.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={"examples": [{"content": "User likes pizza without olives"}]},
    )

    content: Content | None = None
    memory_type: MemoryTypeName | None = None
    importance: Fraction | None = None
    facets: Facets | None = None
    tags: Tags | None = None
    topics: Topics | None = None
    pinned: Annotated[bool, Field(strict=True)] | None = None
    user_id: UserName | None = None
    agent_id: GivenName | None = None
    session_id: GivenName | None = None
    external_id: GivenName | None = None
    metadata: Metadata | None = None

    @property
    def moves_words(self) -> bool:
        """True if the words around the memory's turn must be indexed again."""
        return self.content is not None or self.changes_user

    @property
    def changes_user(self) -> bool:
        """True if the memory gets another user, or is shared from now on."""
        return "user_id" in self.model_fields_set

    def over(self, metadata: dict[str, Any]) -> "MemoryChange":
        """Return the changes of a memory with this metadata, which they replace."""
        return self

    def values(self) -> dict[str, Any]:
        """Return the columns that a revision changes, with their new values."""
        given = {
            name: value
            for name in ("content", "memory_type", "tags", "topics", "importance", "metadata")
            if (value := getattr(self, name)) is not None
        }
        # Null is a value of these.
        names = self.model_fields_set & {"user_id", "agent_id", "session_id", "external_id"}
        given |= {name: getattr(self, name) for name in sorted(names)}
        if self.facets is not None:
            given["facets"] = self.facets.stored()
            given["core"] = self.facets.P == 1.0
            given.setdefault("importance", self.facets.importance)
        if "importance" in given:
            given["reinforced_from"] = None
        return given


class AddedMetadata(MemoryChange):
    """Changes whose metadata is added to the memory's own, key by key."""

    def over(self, metadata: dict[str, Any]) -> MemoryChange:
        """Return the changes with all metadata. Raises pydantic's ValidationError if it is too much
        together."""
        if self.metadata is None:
            return self
        together = MemoryChange(metadata=metadata | self.metadata)
        return self.model_copy(update={"metadata": together.metadata})


class Replacement(MemoryChange):
    """Values that replace those of a memory whole, such as a past revision's: if they have no
    facets, the memory's are removed.
    """

    reinforced_from: Fraction | None = None

    def values(self) -> dict[str, Any]:
        """Return the columns to change; `facets` is None if there are none."""
        given = {"facets": None} | super().values()
        return given | {"reinforced_from": self.reinforced_from}
