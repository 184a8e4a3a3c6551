"""Texts of memories for models: one line for each memory, whatever its content."""

from collections.abc import Sequence

from memory.models import Memory
from memory.recall.prompt_forms import one_line
from memory.recall.recall import Result


def plain(memory: Memory) -> str:
    """Return `User likes pizza (id: f926ff7f)`."""
    return f"{one_line(memory.content)} (id: {memory.short_id})"


def typed(memory: Memory) -> str:
    """Return `User likes pizza (id: f926ff7f, memory_type: preference, importance: 0.7)`."""
    return f"{one_line(memory.content)} (id: {memory.short_id}, {_metadata(memory)})"


def typed_results(results: Sequence[Result]) -> str:
    """Return the lines of prompt_forms.relevant_memories with the additions of seed 002 (AC-3): `…,
    id: f926ff7f, memory_type: preference, importance: 0.7, score: 0.912)`."""
    lines = [
        f"- [{result.memory.created_at:%Y-%m-%d}] {one_line(result.memory.content)}"
        f" ({result.match}, id: {result.memory.short_id}, {_metadata(result.memory)},"
        f" score: {result.score:.3f})"
        for result in results
    ]
    return "\n".join(["## RELEVANT MEMORIES", "", *(lines or ["(none)"])])


def _metadata(memory: Memory) -> str:
    return f"memory_type: {memory.memory_type}, importance: {round(memory.importance, 3):g}"
