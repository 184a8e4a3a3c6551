"""Texts of memories for models: one line for each memory, whatever its content."""

from collections.abc import Sequence
from datetime import datetime

from foundation.moments import beside
from memory.models import Memory
from memory.recall.prompt_forms import SayDay, bracketed, iso_day, one_line, times_of
from memory.recall.results import Result


def plain(memory: Memory) -> str:
    """Return `User likes pizza (id: f926ff7f)`."""
    return f"{one_line(memory.content)} (id: {memory.short_id})"


def typed(memory: Memory) -> str:
    """Return `User likes pizza (id: f926ff7f, memory_type: preference, importance: 0.7)`."""
    return f"{one_line(memory.content)} (id: {memory.short_id}, {_metadata(memory)})"


def lifetime(memory: Memory, now: datetime) -> str:
    """Return `expires 2026-03-20`, in the zone of the person who speaks now, or `kept forever`."""
    if memory.pinned or memory.expires_at is None:
        return "kept forever"
    return f"expires {iso_day(beside(memory.expires_at, now))}"


def typed_results(results: Sequence[Result], say_day: SayDay = iso_day) -> str:
    """Return the lines of prompt_forms.relevant_memories with the additions of seed 002 (AC-3): `…,
    id: f926ff7f, memory_type: preference, importance: 0.7, score: 0.912)`."""
    lines = [
        f"- [{say_day(result.memory.created_at)}] {one_line(result.memory.content)}"
        f" ({result.match}, id: {result.memory.short_id}, {_metadata(result.memory)},"
        f" score: {result.score:.3f}){bracketed(times_of(result.memory))}"
        for result in results
    ]
    return "\n".join(["## RELEVANT MEMORIES", "", *(lines or ["(none)"])])


def _metadata(memory: Memory) -> str:
    return f"memory_type: {memory.memory_type}, importance: {round(memory.importance, 3):g}"
