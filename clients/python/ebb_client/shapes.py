"""The JSON of answers, which may have more fields than are listed here."""

from typing import Any, Literal, NotRequired, TypedDict

from ebb_client.inputs import Facets, MemoryType
from ebb_client.users import Names


class Source(TypedDict):
    """The source of a memory."""

    role: str
    speaker: str | None
    conversation_id: str | None
    assessment_id: str | None


class ImportanceParts(TypedDict):
    """The parts of an importance: base + reinforcement."""

    base: float
    reinforcement: float
    from_facets: float | None
    set_by_hand: bool


class Memory(Names):
    """A memory."""

    id: str
    short_id: str
    content: str
    memory_type: MemoryType
    tags: list[str]
    topics: list[str]
    importance: float
    importance_parts: ImportanceParts
    adjustment: float
    time_coef: float
    current_importance: float
    facets: Facets | None
    core: bool
    pinned: bool
    status: Literal["live", "review", "binned"]
    created_at: str
    event_at: str | None
    event_precision: Literal["day", "month", "year"] | None
    valid_from: str
    valid_to: str | None
    last_active_at: str | None
    use_count: int
    expires_at: str | None
    revision: int
    source: Source


class SavedMemory(Memory):
    """A memory that was just saved; `near_duplicate_of` is another one that says the same thing."""

    near_duplicate_of: str | None


class BinnedMemory(Memory):
    """A memory in the recycle bin."""

    binned_at: str
    reason: str
    consolidated_into: str | None
    importance_then: float | None
    rank_then: int | None
    purge_at: str | None


class Consolidated(TypedDict):
    """The action that applied proposals, null if none was applied, and their numbers."""

    action_id: str | None
    applied: int
    outdated: int


class UndoneAction(TypedDict):
    """The numbers of memories restored, and of those left because they were changed since."""

    restored: int
    left: int


class Proposal(TypedDict):
    """The proposed treatment of a memory in review, and the existing memory concerned."""

    verdict: Literal["reinforce", "revise", "supersede"]
    memory_id: str
    reason: str


class HeldMemory(Memory):
    """A memory in review, with the reason."""

    review_reason: str
    review_proposal: Proposal | None


class Revision(TypedDict):
    """An earlier version of a memory."""

    revision: int
    content: str
    memory_type: MemoryType
    importance: float
    tags: list[str]
    topics: list[str]
    replaced_at: str | None
    reason: str


class Result(TypedDict):
    """One search result with its score and signals."""

    memory: Memory
    similarity: float
    match: str
    relevance: float
    score: float
    signals: dict[str, float]
    contributions: dict[str, float]
    rank: int | None
    rank_without: dict[str, int]


class Search(TypedDict):
    """The answer to a search."""

    query: str
    profile: str
    took_ms: float
    results: list[Result]
    missed: list[Result]


class HistoryEvent(TypedDict):
    """One event of the history."""

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


class Assessment(TypedDict):
    """The state and result of an assessment."""

    id: str | None
    status: Literal["queued", "running", "retrying", "done", "ignored", "failed"]
    importance: float | None
    summary: str
    tags: list[str]
    topics: list[str]
    omitted: dict[str, list[str]]
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
    memories: list[str]


class Assessed(TypedDict):
    """An assessment, and its memories if any were stored; `memory` is the first."""

    assessment: Assessment
    memory: Memory | None
    memories: list[Memory]


class Queued(TypedDict):
    """The id and state of a queued assessment."""

    id: str
    status: str


class Reply(TypedDict):
    """A whole reply."""

    conversation_id: str | None
    message_id: str | None
    reply: str
    recalled: list[Result]
    standing: list[Memory]
    assessment_id: str | None
    model: str
    usage: dict[str, int] | None


class Conversation(TypedDict):
    """A conversation, with its messages if requested alone."""

    id: str
    title: str
    created_at: str
    updated_at: str
    messages: NotRequired[list[dict[str, Any]]]


class ToolAnswer(TypedDict):
    """A tool's result as text and data."""

    text: str
    data: dict[str, Any]


class Swept(TypedDict):
    """The numbers of memories that a cleanup removed."""

    expired: int
    evicted: int
    purged: int


class Usage(TypedDict):
    """The calls of one day for one purpose to one model. The cost leaves out `unpriced` calls."""

    day: str
    purpose: str
    connection: str | None
    model: str
    calls: int
    failed: int
    unpriced: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
