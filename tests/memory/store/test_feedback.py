"""Each event that says something for a memory, or against it, is counted once and can be undone."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from accounts.models import Space, User
from foundation.actors import SYSTEM, Actor
from foundation.errors import NotFound
from memory.drafts import MemoryChange
from memory.formulas.importance import adjustment
from memory.lab.relevance import mark_relevance, unmark_relevance
from memory.memories.bulk import delete_memories, pin_memories
from memory.memories.undo import undo
from memory.models import Memory
from memory.retention.recycle_bin import (
    delete_memory,
    restore_memories,
    restore_memory,
    undo_restore,
)
from memory.retention.sweep import sweep
from memory.store.adjustment import adjustment_parts, reset_adjustment
from memory.store.revisions import revert_memory
from memory.store.services import revise_memory
from memory.store.uses import Use, mark_used, redo_use, undo_use
from tests.memory.writing import ALICE, NOW, actions, learn, remember, stored

ASSESSOR = Actor("assessor", "local")


def counts(memory: Memory) -> tuple[int, int, int, int]:
    """Used, unused, confirmed, objected."""
    return stored(memory).counts


def use(memory: Memory, *, used: bool | None) -> Use:
    """A use by an answer that used the memory, did not, or is not known to have."""
    ids = [memory.pk]
    uses = mark_used(
        space=memory.space,
        memory_ids=ids,
        supporting=ids if used else (),
        answered=None if used is None else {memory.pk: used},
        actor=SYSTEM,
        now=NOW,
        reason="",
    )
    return uses[memory.pk]


@pytest.mark.parametrize(("used", "expected"), [(True, (1, 0, 0, 0)), (False, (0, 1, 0, 0))])
def test_a_use_is_counted_by_what_the_answer_did_with_it(
    space: Space, used: bool, expected: tuple[int, ...]
) -> None:
    memory = remember(space, "User likes pizza")
    first = use(memory, used=used)
    assert counts(memory) == expected

    about: dict[str, Any] = {"space": space, "memory_id": memory.pk, "use": first}
    about |= {"actor": ALICE, "now": NOW, "reason": ""}
    undo_use(**about)
    assert counts(memory) == (0, 0, 0, 0)
    redo_use(**about)
    assert counts(memory) == expected


def test_a_use_by_an_unfinished_answer_or_an_old_one_is_not_counted(space: Space) -> None:
    memory = remember(space, "User likes pizza")
    first = use(memory, used=None)
    old = Use.model_validate(first.model_dump(exclude={"counted"}))
    undo_use(space=space, memory_id=memory.pk, use=old, actor=ALICE, now=NOW, reason="")

    assert counts(memory) == (0, 0, 0, 0)


def test_pinning_confirms_and_unpinning_takes_that_back(space: Space) -> None:
    memory, other = remember(space, "User likes pizza"), remember(space, "User has a cat")
    for pinned in (True, True, False):
        pin_memories(space=space, memory_ids=[memory.pk], pinned=pinned, actor=ALICE, now=NOW)
        expected = 1 if pinned else 0
        assert counts(memory) == (0, 0, expected, 0)
    revise_memory(
        space=space, memory_id=other.pk, change=MemoryChange(pinned=True), actor=ALICE, now=NOW
    )
    assert counts(other) == (0, 0, 1, 0)
    assert counts(remember(space, "User is called Ada", pinned=True)) == (0, 0, 1, 0)


def test_saying_it_again_confirms(space: Space) -> None:
    memory = remember(space, "User likes pizza")
    assert learn(space, "User likes pizza").pk == memory.pk

    assert counts(memory) == (0, 0, 1, 0)


def test_deleting_objects_and_undoing_or_restoring_takes_that_back(space: Space) -> None:
    memory = remember(space, "User likes pizza")
    actor = ALICE.in_action()
    delete_memories(space=space, memory_ids=[memory.pk], actor=actor, now=NOW)
    assert counts(memory) == (0, 0, 0, 1)
    assert actor.action_id is not None
    undo(space=space, action_id=actor.action_id, actor=ALICE, now=NOW)
    assert counts(memory) == (0, 0, 0, 0)

    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)
    again = ALICE.in_action()
    restore_memories(space=space, memory_ids=[memory.pk], actor=again, now=NOW)
    assert counts(memory) == (0, 0, 0, 0)
    assert again.action_id is not None
    undo_restore(space=space, action_id=again.action_id, actor=ALICE, now=NOW)
    assert counts(memory) == (0, 0, 0, 1)


def test_restoring_what_cleanup_removed_confirms(space: Space) -> None:
    memory = remember(space, "User had soup", importance=0.1)
    late = NOW + timedelta(days=4)
    assert sweep(space=space, now=late).expired == 1
    assert counts(memory) == (0, 0, 0, 0)  # nobody decided about it

    restore_memory(space=space, memory_id=memory.pk, actor=ALICE, now=late)
    assert counts(memory) == (0, 0, 1, 0)


def test_a_correction_by_a_person_objects_until_it_is_reverted(space: Space) -> None:
    memory = remember(space, "User likes pizza")

    def revise(actor: Actor, **change: object) -> None:
        changes = MemoryChange.model_validate(change)
        revise_memory(space=space, memory_id=memory.pk, change=changes, actor=actor, now=NOW)

    revise(ALICE, tags=["food"])
    revise(ASSESSOR, content="User likes pizza and pasta")
    assert counts(memory) == (0, 0, 0, 0)
    revise(ALICE, content="User likes pasta")
    assert counts(memory) == (0, 0, 0, 1)
    revert_memory(space=space, memory_id=memory.pk, revision=3, actor=ALICE, now=NOW)
    assert counts(memory) == (0, 0, 0, 0)


def test_a_mark_counts_once_for_each_question(space: Space, alice: User) -> None:
    memory = remember(space, "User likes pizza")
    about: dict[str, Any] = {"space": space, "memory_id": memory.pk}

    def mark(query: str, *, relevant: bool) -> tuple[int, int]:
        mark_relevance(**about, query=query, relevant=relevant, user=alice, now=NOW)
        return counts(memory)[2:]

    assert mark("what do I eat?", relevant=True) == (1, 0)
    assert mark("what do I eat?", relevant=True) == (1, 0)
    assert mark("what do I eat?", relevant=False) == (0, 1)
    assert mark("what do I like?", relevant=True) == (1, 1)
    unmark_relevance(**about, query="what do I eat?")
    unmark_relevance(**about, query="what else?")
    assert counts(memory)[2:] == (1, 0)


def test_a_mark_on_a_memory_that_is_gone_is_refused(space: Space, alice: User) -> None:
    with pytest.raises(NotFound):
        mark_relevance(
            space=space, memory_id=uuid4(), query="pizza", relevant=True, user=alice, now=NOW
        )


def learned(space: Space) -> Memory:
    """A memory with three uses and a confirmation."""
    memory = remember(space, "User likes pizza")
    for used in (True, True, False):
        use(memory, used=used)
    pin_memories(space=space, memory_ids=[memory.pk], pinned=True, actor=ALICE, now=NOW)
    return stored(memory)


def test_the_parts_add_up_to_the_adjustment(space: Space) -> None:
    memory = learned(space)

    parts = adjustment_parts(memory)

    assert [(part.kind, part.count) for part in parts] == [
        ("used", 2), ("unused", 1), ("confirmed", 1),
    ]  # fmt: skip
    assert memory.adjustment == adjustment(2, 1, 1, 0) > 0
    assert sum(part.value for part in parts) == pytest.approx(memory.adjustment)


def reset(space: Space, memory: Memory) -> tuple[int, UUID]:
    """The number of memories reset, and the action's id."""
    actor = ALICE.in_action()
    done = reset_adjustment(space=space, memory_id=memory.pk, actor=actor, now=NOW)
    assert actor.action_id is not None
    return done, actor.action_id


def test_a_reset_is_undone_once_and_later_events_stay(space: Space) -> None:
    memory = learned(space)
    done, action_id = reset(space, memory)
    assert (done, counts(memory), stored(memory).adjustment) == (1, (0, 0, 0, 0), 0)
    use(memory, used=True)

    assert undo(space=space, action_id=action_id, actor=ALICE, now=NOW).back == 1
    assert counts(memory) == (3, 1, 1, 0)
    assert undo(space=space, action_id=action_id, actor=ALICE, now=NOW).back == 0
    assert counts(memory) == (3, 1, 1, 0)
    assert actions(memory)[-3:] == ["used", "renewed", "unreset"]


def test_only_the_last_reset_of_a_memory_is_undone(space: Space) -> None:
    memory = learned(space)
    _, first = reset(space, memory)
    use(memory, used=True)
    reset(space, memory)

    assert undo(space=space, action_id=first, actor=ALICE, now=NOW).back == 0
    assert counts(memory) == (0, 0, 0, 0)


def test_there_is_nothing_to_reset_without_events(space: Space, other_space: Space) -> None:
    memory = remember(space, "User likes pizza")

    assert reset(space, memory)[0] == 0
    assert actions(memory) == ["created"]
    with pytest.raises(NotFound):
        reset(other_space, memory)
