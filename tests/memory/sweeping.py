"""A space with memories of any kind, and the sweep over it, for tests of letting go."""

from datetime import datetime, timedelta
from random import Random

from accounts.models import Space
from memory.formulas.retention import expires_at
from memory.models import Memory, MemoryEvent
from memory.models.policies import current_policy
from tests.memory.writing import NOW

DAY = timedelta(days=1)


def insert(space: Space, number: int, *, importance: float = 0.9, **fields: object) -> Memory:
    """A row as the services write it, without an embedding: its lifetime began at NOW unless
    `clock_started_at` says otherwise; it is two days old unless `created_at` does."""
    started = fields.pop("clock_started_at", NOW)
    assert isinstance(started, datetime)
    tiers = current_policy(space).document.ttl.tiers
    defaults = {
        "content": f"memory {number}",
        "memory_type": "fact",
        "short_id": f"{number:08x}",
        "created_at": NOW - 2 * DAY,
        "clock_started_at": started,
        "expires_at": expires_at(started, importance, tiers),
    }
    return Memory.objects.create(space=space, importance=importance, **(defaults | fields))


def live(space: Space) -> list[str]:
    """Return the contents of the live memories, in order."""
    rows = Memory.objects.in_space(space).live().order_by("content")
    return list(rows.values_list("content", flat=True))


def statuses(space: Space) -> dict[str, str]:
    """Content → why it is in the bin, or "live"."""
    rows = Memory.objects.in_space(space).values_list("content", "status", "bin_reason")
    return {content: reason or status for content, status, reason in rows}


def removals(space: Space) -> list[tuple[str, str, int | None]]:
    """(action, content, rank) of everything that went, in the order of the history. A purge leaves
    no content."""
    events = MemoryEvent.objects.in_space(space).filter(action__in=["expired", "evicted", "purged"])
    return list(events.order_by("id").values_list("action", "content", "rank"))


def random_memories(space: Space, random: Random, count: int) -> None:
    """Memories of every kind there is: pinned, core, used, restored, old, young, in the bin."""
    for number in range(count):
        created = NOW - random.choice([0.1, 0.9, 1.1, 5, 40]) * DAY
        binned = random.random() < 0.1
        insert(
            space,
            number,
            importance=random.choice([0.1, 0.3, 0.5, 0.69, 0.7, random.random()]),
            pinned=random.random() < 0.1,
            core=random.random() < 0.1,
            use_count=random.choice([0, 0, 3]),
            times_used=random.choice([0, 0, 5]),
            objections=random.choice([0, 0, 2]),
            created_at=created,
            last_active_at=random.choice([None, NOW - random.random() * 10 * DAY]),
            clock_started_at=NOW - random.choice([0, 2.9, 3, 8, 31, random.random() * 40]) * DAY,
            restored_at=random.choice([None, None, NOW - 0.5 * DAY, NOW - 3 * DAY]),
            status="binned" if binned else "live",
            binned_at=NOW - random.choice([1, 31]) * DAY if binned else None,
            bin_reason="deleted" if binned else "",
        )
