"""The JSON that calls send. Omitted fields have their defaults."""

from typing import Any, Literal, TypedDict

from ebb_client.users import NameChanges, NamesIn

MemoryType = Literal[
    "identity", "goal", "decision", "todo", "preference", "fact", "event", "observation"
]


class Facets(TypedDict, total=False):
    """The facets of an importance (docs/api.md)."""

    P: float
    E: float
    I: float  # noqa: E741 - the formula's own name
    J: float
    valence: float
    intensity: float


class SourceIn(TypedDict, total=False):
    """The source of a new memory."""

    role: str
    speaker: str
    conversation_id: str


class MemoryOptions(NamesIn, total=False):
    """The optional fields of a new memory."""

    memory_type: MemoryType
    importance: float
    facets: Facets
    tags: list[str]
    topics: list[str]
    pinned: bool
    created_at: str | float
    timezone: str
    source: SourceIn


class MemoryDraft(MemoryOptions):
    """A new memory."""

    content: str


class MemoryChanges(NameChanges, total=False):
    """Changes of a memory; omitted fields stay unchanged."""

    content: str
    memory_type: MemoryType
    importance: float
    facets: Facets
    tags: list[str]
    topics: list[str]
    pinned: bool


class MemoryFilters(TypedDict, total=False):
    """The filters of a list of memories."""

    memory_type: MemoryType
    tag: str
    status: Literal["live", "review", "binned"]
    q: str
    agent_id: str
    session_id: str
    external_id: str
    metadata: dict[str, Any]
    order: str


class SearchOptions(TypedDict, total=False):
    """The options of a search."""

    limit: int
    profile: str
    memory_types: list[MemoryType]
    tags: list[str]
    min_relevance: float
    explain: bool
    agent_id: str
    session_id: str
    metadata: dict[str, Any]
    as_of: str
    timezone: str


class ExchangeOptions(TypedDict, total=False):
    """The options of an assessment."""

    source_role: str
    context: dict[str, Any]
    conversation_id: str
    rubric: Literal["facts", "graded", "facets"]
    provider: Literal["auto", "llm", "local", "cascade"]
    agent_id: str
    session_id: str
    metadata: dict[str, Any]
    created_at: str | float
    timezone: str


class ChatOptions(TypedDict, total=False):
    """The options of a chat message."""

    conversation_id: str
    memory: Literal["on", "read_only", "off"]
    profile: str
    model: str
    system_prompt: str
    private: bool
    history: list[dict[str, str]]
    timezone: str
    agent_id: str
    session_id: str
