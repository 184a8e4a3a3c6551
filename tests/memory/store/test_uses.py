"""A use counted by mistake is taken back: exactly that use, and nothing that came after it."""

from datetime import timedelta
from uuid import uuid4

import pytest

from memory.actors import SYSTEM
from memory.drafts import MemoryChange
from memory.errors import NotFound
from memory.models import Memory, Space
from memory.store.services import revise_memory
from memory.store.uses import Use, give_back_use, mark_used, take_back_use
from tests.memory.writing import ALICE, NOW, actions, remember, set_policy, stored

LATER = NOW + timedelta(days=2)
AFTER = NOW + timedelta(days=3)
CLOCKS = ("use_count", "last_active_at", "clock_started_at", "expires_at")


def clocks(memory: Memory) -> list[object]:
    row = stored(memory)
    return [getattr(row, name) for name in CLOCKS]


def use(space: Space, memory: Memory, at: object = LATER) -> Use:
    used = mark_used(space=space, memory_ids=[memory.pk], actor=SYSTEM, now=at, reason="prompt")  # type: ignore[arg-type]  # datetimes
    return used[memory.pk]


def take_back(space: Space, memory: Memory, used: Use) -> None:
    take_back_use(
        space=space, memory_id=memory.pk, use=used, actor=ALICE, now=AFTER, reason="not relevant"
    )


def give_back(space: Space, memory: Memory, used: Use) -> None:
    give_back_use(space=space, memory_id=memory.pk, use=used, actor=ALICE, now=AFTER, reason="undo")


@pytest.mark.parametrize("renews", [True, False])
@pytest.mark.parametrize("importance", [0.4, 0.9])
def test_a_use_taken_back_leaves_no_trace_but_in_the_history(
    space: Space, renews: bool, importance: float
) -> None:
    set_policy(space, ttl={"renew_on_use": renews})
    memory = remember(space, "User likes pizza", importance=importance)
    before = clocks(memory)
    used = use(space, memory)
    after = clocks(memory)
    assert after != before

    take_back(space, memory, Use.model_validate_json(used.model_dump_json()))
    assert clocks(memory) == before
    give_back(space, memory, used)
    assert clocks(memory) == after

    assert actions(memory) == ["created", "used", "unused", "used"]


def test_what_came_after_the_use_stands(space: Space) -> None:
    memory = remember(space, "User likes pizza", importance=0.4)
    first = use(space, memory)
    use(space, memory, at=AFTER)
    revise_memory(
        space=space,
        memory_id=memory.pk,
        change=MemoryChange(importance=0.5),
        actor=ALICE,
        now=AFTER,
    )
    [count, *since] = clocks(memory)

    take_back(space, memory, first)

    assert clocks(memory) == [1, *since]
    assert count == 2
    give_back(space, memory, first)
    assert clocks(memory) == [2, *since]


def test_a_memory_that_is_gone_is_not_found(space: Space, other_space: Space) -> None:
    memory = remember(space, "User likes pizza")
    used = use(space, memory)

    with pytest.raises(NotFound):
        take_back(other_space, memory, used)
    memory.pk = uuid4()
    with pytest.raises(NotFound):
        take_back(space, memory, used)
