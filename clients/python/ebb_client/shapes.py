"""What calls take and answer, as the API's JSON. Answers may have more fields than stand here."""

from typing import Any, Literal, NotRequired, TypedDict

MemoryType = Literal[
    "identity", "goal", "decision", "todo", "preference", "fact", "event", "observation"
]


class Facets(TypedDict, total=False):
    P: float
    E: float
    I: float  # noqa: E741 - the formula's own name
    J: float
    valence: float
    intensity: float


class SourceIn(TypedDict, total=False):
    role: str
    speaker: str
    conversation_id: str


class MemoryOptions(TypedDict, total=False):
    """What may be said of a memory beside its content."""

    memory_type: MemoryType
    importance: float
    facets: Facets
    tags: list[str]
    topics: list[str]
    pinned: bool
    created_at: str
    source: SourceIn


class MemoryDraft(MemoryOptions):
    """A memory to be."""

    content: str


class MemoryChanges(TypedDict, total=False):
    """What to change; what is left out stays."""

    content: str
    memory_type: MemoryType
    importance: float
    facets: Facets
    tags: list[str]
    topics: list[str]
    pinned: bool


class Source(TypedDict):
    role: str
    speaker: str | None
    conversation_id: str | None
    assessment_id: str | None


class Memory(TypedDict):
    id: str
    short_id: str
    content: str
    memory_type: MemoryType
    tags: list[str]
    topics: list[str]
    importance: float
    time_coef: float
    current_importance: float
    facets: Facets | None
    core: bool
    pinned: bool
    status: Literal["live", "review", "binned"]
    created_at: str
    last_active_at: str | None
    use_count: int
    expires_at: str | None
    revision: int
    source: Source


class BinnedMemory(Memory):
    binned_at: str
    reason: str
    importance_then: float | None
    rank_then: int | None
    purge_at: str


class Proposal(TypedDict):
    verdict: Literal["reinforce", "revise", "supersede"]
    memory_id: str
    reason: str


class HeldMemory(Memory):
    review_reason: str
    review_proposal: Proposal | None


class Revision(TypedDict):
    revision: int
    content: str
    memory_type: MemoryType
    importance: float
    tags: list[str]
    topics: list[str]
    replaced_at: str | None
    reason: str


class MemoryFilters(TypedDict, total=False):
    memory_type: MemoryType
    tag: str
    status: Literal["live", "review", "binned"]
    q: str
    order: str


class SearchOptions(TypedDict, total=False):
    limit: int
    profile: str
    memory_types: list[MemoryType]
    tags: list[str]
    explain: bool


class Result(TypedDict):
    memory: Memory
    similarity: float
    match: str
    score: float
    signals: dict[str, float]
    contributions: dict[str, float]
    rank: int | None
    rank_without: dict[str, int]


class Search(TypedDict):
    query: str
    profile: str
    took_ms: float
    results: list[Result]
    missed: list[Result]


class HistoryEvent(TypedDict):
    id: int
    at: str
    action: str
    actor: dict[str, str]
    reason: str
    memory_id: str
    content: str
    importance: float
    current_importance: float
    rank: int | None
    policy_version: int


class ExchangeOptions(TypedDict, total=False):
    source_role: str
    context: dict[str, Any]
    conversation_id: str
    rubric: Literal["graded", "facets"]
    provider: Literal["auto", "llm", "local", "cascade"]


class Assessment(TypedDict):
    id: str | None
    status: Literal["queued", "running", "retrying", "done", "ignored", "failed"]
    importance: float | None
    summary: str
    tags: list[str]
    topics: list[str]
    memory_type: MemoryType | None
    reasoning: str
    facets: Facets | None
    ttl_seconds: int | None
    rubric: str
    provider: str
    model: str
    attempts: int
    latency_ms: float | None
    tokens: int | None
    cost_usd: float | None
    confidence: float | None
    error: str | None
    memory_id: str | None


class Judged(TypedDict):
    assessment: Assessment
    memory: Memory | None


class Queued(TypedDict):
    id: str
    status: str


class ChatOptions(TypedDict, total=False):
    conversation_id: str
    memory: Literal["on", "read_only", "off"]
    profile: str
    model: str
    system_prompt: str
    private: bool
    history: list[dict[str, str]]


class Reply(TypedDict):
    conversation_id: str | None
    message_id: str | None
    reply: str
    recalled: list[Result]
    assessment_id: str | None
    model: str
    usage: dict[str, int] | None


class Conversation(TypedDict):
    id: str
    title: str
    created_at: str
    updated_at: str
    messages: NotRequired[list[dict[str, Any]]]


class ToolAnswer(TypedDict):
    text: str
    data: dict[str, Any]


class Swept(TypedDict):
    expired: int
    evicted: int
    purged: int
