"""Tools that search and read. A search is not a use: the caller that sends the answer to a model
counts it."""

from memory.memories.schemas import SearchOut
from memory.models.policies import current_policy
from memory.recall.prompt_forms import day_by, relevant_memories, times_of
from memory.recall.recall import Recall, SearchRequest, recall
from memory.references import one
from memory.store.schemas import MemoryOut
from memory.tools import texts
from memory.tools.arguments import OneMemory, Search
from memory.tools.base import Caller, ToolAnswer

# Seed 002, AC-4: a higher importance ranks higher, whatever the space's profile is.
TYPED = "typed"


def search_memories(caller: Caller, asked: Search) -> ToolAnswer:
    """Search memories by the caller's profile and answer in the format of seed 000."""
    found = _found(caller, asked, caller.profile)
    text = relevant_memories(found.results, day_by(found.policy.document, caller.now))
    return ToolAnswer(text, _json(found), found.results)


def memory_search(caller: Caller, asked: Search) -> ToolAnswer:
    """Search memories and answer with type, importance and score (seed 002, AC-3)."""
    found = _found(caller, asked, TYPED)
    text = texts.typed_results(found.results, day_by(found.policy.document, caller.now))
    return ToolAnswer(text, _json(found), found.results)


def memory_read(caller: Caller, asked: OneMemory) -> ToolAnswer:
    """Return one memory with type and importance (seed 002, AC-3)."""
    memory = one(caller.space, caller.reader, asked.memory_id, field="memory_id")
    say_day = day_by(current_policy(caller.space).document, caller.now)
    text = f"[{say_day(memory.created_at)}] {texts.typed(memory)}"
    text = "; ".join([text, texts.lifetime(memory, caller.now), *times_of(memory)])
    return ToolAnswer(text, MemoryOut.from_orm(memory).model_dump(mode="json"))


def _found(caller: Caller, asked: Search, profile: str | None) -> Recall:
    return recall(
        caller.space,
        SearchRequest(
            asked.query,
            profile=profile,
            limit=asked.limit,
            min_relevance=None,
            reader=caller.reader,
        ),
        now=caller.now,
    )


def _json(found: Recall) -> dict[str, object]:
    return SearchOut.of(found).model_dump(mode="json")
