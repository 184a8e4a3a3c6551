"""Tools that search and read. A search is not a use: the caller that sends the answer to a model
counts it."""

from memory.access.references import one
from memory.memories.schemas import SearchOut
from memory.recall.prompt_forms import relevant_memories
from memory.recall.recall import Recall, recall
from memory.store.schemas import MemoryOut
from memory.tools import texts
from memory.tools.arguments import OneMemory, Search
from memory.tools.base import Caller, ToolAnswer

# Seed 002, AC-4: a higher importance ranks higher, whatever the space's profile is.
TYPED = "typed"


def search_memories(caller: Caller, asked: Search) -> ToolAnswer:
    """Search memories by the caller's profile and answer in the format of seed 000."""
    found = _found(caller, asked, caller.profile)
    return ToolAnswer(relevant_memories(found.results), _json(found), found.results)


def memory_search(caller: Caller, asked: Search) -> ToolAnswer:
    """Search memories and answer with type, importance and score (seed 002, AC-3)."""
    found = _found(caller, asked, TYPED)
    return ToolAnswer(texts.typed_results(found.results), _json(found), found.results)


def memory_read(caller: Caller, asked: OneMemory) -> ToolAnswer:
    """Return one memory with type and importance (seed 002, AC-3)."""
    memory = one(caller.space, asked.memory_id, field="memory_id")
    text = f"[{memory.created_at:%Y-%m-%d}] {texts.typed(memory)}"
    return ToolAnswer(text, MemoryOut.from_orm(memory).model_dump(mode="json"))


def _found(caller: Caller, asked: Search, profile: str | None) -> Recall:
    return recall(
        space=caller.space,
        query=asked.query,
        now=caller.now,
        profile=profile,
        limit=asked.limit,
    )


def _json(found: Recall) -> dict[str, object]:
    return SearchOut.of(found).model_dump(mode="json")
