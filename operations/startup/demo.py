"""The sample memories of the demo space: one person, some weeks, every type and lifetime.

They are about somebody else than the user. Home, family, allergies and diet are left out, because
a newcomer tells Ebb those first.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from memory.drafts import MemoryDraft, MemoryTypeName
from memory.memories.samples import SAMPLE_IDS


class Sample(NamedTuple):
    """One sample memory."""

    days_ago: float
    memory_type: MemoryTypeName
    tags: list[str]
    content: str
    importance: float | None = None  # None for the type's default


_SAMPLES = (
    Sample(41.0, "identity", ["work"], "Mara is a marine biologist and studies seagrass."),
    Sample(38.5, "fact", ["bees"], "Mara keeps bees on the roof of her institute.", 0.75),
    Sample(33.2, "preference", ["food"], "Mara likes her soup very spicy."),
    Sample(27.0, "goal", ["running"], "Mara wants to run a half marathon in under two hours."),
    Sample(21.6, "decision", ["work"], "Mara decided to move her survey analysis to Python."),
    Sample(17.3, "preference", ["style"], "Mara prefers short answers with one example.", 0.6),
    Sample(12.8, "fact", ["work"], "The research boat Calypso is in the dock until spring.", 0.55),
    Sample(9.1, "todo", ["work"], "Mara has to send the seagrass paper back to the reviewers."),
    Sample(6.4, "event", ["work"], "The institute had an open day with a treasure hunt."),
    Sample(4.2, "event", ["running"], "Mara ran twelve kilometres and her knee felt fine.", 0.35),
    Sample(2.0, "observation", ["music"], "Mara listens to piano music while she writes."),
    Sample(0.3, "observation", ["mood"], "Mara sounded tired after counting larvae all day.", 0.2),
)


def sample_memories(now: datetime) -> list[MemoryDraft]:
    """Return twelve drafts, the oldest from six weeks before `now`."""
    return [
        MemoryDraft(
            content=sample.content,
            memory_type=sample.memory_type,
            importance=sample.importance,
            tags=sample.tags,
            created_at=now - timedelta(days=sample.days_ago),
            external_id=external_id,
        )
        for sample, external_id in zip(_SAMPLES, SAMPLE_IDS, strict=True)
    ]
