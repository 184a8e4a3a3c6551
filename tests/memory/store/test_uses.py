"""A use counted by mistake is taken back: exactly that use, and nothing that came after it."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from accounts.models import Space
from foundation.actors import SYSTEM
from foundation.errors import NotFound
from memory.drafts import MemoryChange
from memory.models import Memory
from memory.store.services import revise_memory
from memory.store.uses import Use, mark_used, redo_use, undo_use
from tests.memory.writing import ALICE, NOW, actions, remember, set_policy, stored

LATER = NOW + timedelta(days=2)
AFTER = NOW + timedelta(days=3)
CLOCKS = ("use_count", "last_active_at", "clock_started_at", "expires_at")


def clocks(memory: Memory) -> list[object]:
    row = stored(memory)
    return [getattr(row, name) for name in CLOCKS]


def use(space: Space, memory: Memory, at: datetime = LATER, *, supports: bool = True) -> Use:
    used = mark_used(
        space=space,
        memory_ids=[memory.pk],
        supporting=[memory.pk] if supports else [],
        actor=SYSTEM,
        now=at,
        reason="prompt",
    )
    return used[memory.pk]


def undo(space: Space, memory: Memory, used: Use) -> None:
    undo_use(
        space=space, memory_id=memory.pk, use=used, actor=ALICE, now=AFTER, reason="not relevant"
    )


def give_back(space: Space, memory: Memory, used: Use) -> None:
    redo_use(space=space, memory_id=memory.pk, use=used, actor=ALICE, now=AFTER, reason="undo")


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

    undo(space, memory, Use.model_validate_json(used.model_dump_json()))
    assert clocks(memory) == before
    give_back(space, memory, used)
    assert clocks(memory) == after

    renewed = ["renewed"] if renews else []
    assert actions(memory) == ["created", "used", *renewed, "unused", "used"]


def test_a_lifetime_restarts_only_if_the_answer_used_the_memory(space: Space) -> None:
    memory = remember(space, "User had soup", importance=0.1)
    first = stored(memory)

    use(space, memory, supports=False)
    sent = stored(memory)
    use(space, memory, at=AFTER)
    supported = stored(memory)

    assert (sent.use_count, sent.last_active_at) == (1, LATER)
    assert sent.expires_at == first.expires_at
    assert (supported.use_count, supported.last_active_at) == (2, AFTER)
    assert supported.expires_at == AFTER + timedelta(days=3)
    assert actions(memory) == ["created", "used", "used", "renewed"]


def test_a_policy_can_restart_lifetimes_whenever_a_memory_is_sent(space: Space) -> None:
    set_policy(space, ttl={"renew_when": "sent"})
    memory = remember(space, "User had soup", importance=0.1)

    use(space, memory, supports=False)

    assert stored(memory).expires_at == LATER + timedelta(days=3)


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

    undo(space, memory, first)

    assert clocks(memory) == [1, *since]
    assert count == 2
    give_back(space, memory, first)
    assert clocks(memory) == [2, *since]


def test_a_memory_that_is_gone_is_not_found(space: Space, other_space: Space) -> None:
    memory = remember(space, "User likes pizza")
    used = use(space, memory)

    with pytest.raises(NotFound):
        undo(other_space, memory, used)
    memory.pk = uuid4()
    with pytest.raises(NotFound):
        undo(space, memory, used)
