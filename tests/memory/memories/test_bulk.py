"""The same change to many memories at once, and the undo that takes back exactly that."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import Conflict
from memory.drafts import MAX_TAGS, MemoryChange
from memory.memories import bulk
from memory.memories.undo import Undone, undo
from memory.models import Memory, MemoryEvent, MemoryRevision
from memory.retention.recycle_bin import delete_memory, restore_memory
from memory.retention.sweep import sweep
from memory.store.services import revise_memory
from tests.memory.sweeping import DAY, insert
from tests.memory.writing import ALICE, NOW, actions, stored

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(minutes=1)
BOB = Actor("user", "bob")
ACTION = ALICE.in_action()


def _rows(space: Space) -> list[dict[str, Any]]:
    """Return all stored values of each memory, except the number of its revision."""
    rows = Memory.objects.in_space(space).order_by("pk").values()
    return [
        {name: v for name, v in row.items() if name not in {"revision", "search"}} for row in rows
    ]


def undone_by(actor: Actor, space: Space, now: datetime, action: Actor = ACTION) -> Undone:
    """Return the result of this actor's undo of the action."""
    assert action.action_id is not None
    return undo(space=space, action_id=action.action_id, actor=actor, now=now)


@pytest.fixture
def four(space: Space) -> list[Memory]:
    """Two are pinned, two of a type, two with a tag."""
    return [
        insert(
            space,
            number,
            importance=0.35 + number / 10,
            pinned=number % 2 == 0,
            confirmations=1 - number % 2,
            memory_type="goal" if number > 1 else "fact",
            tags=["home", "food"] if number in {0, 3} else [],
            use_count=number,
            last_active_at=NOW - DAY,
        )
        for number in range(4)
    ]


ACTIONS: list[tuple[str, Callable[..., int], dict[str, Any], list[int]]] = [
    ("pinned", bulk.pin_memories, {"pinned": True}, [1, 3]),
    ("unpinned", bulk.pin_memories, {"pinned": False}, [0, 2]),
    ("deleted", bulk.delete_memories, {}, [0, 1, 2, 3]),
    ("revised", bulk.tag_memories, {"tag": "food"}, [1, 2]),
    ("revised", bulk.untag_memories, {"tag": "home"}, [0, 3]),
    ("revised", bulk.retype_memories, {"memory_type": "goal"}, [0, 1]),
]


@pytest.mark.parametrize(("action", "verb", "how", "touched"), ACTIONS)
def test_only_what_differs_is_changed_and_undo_restores_all_of_it(
    space: Space,
    other_space: Space,
    four: list[Memory],
    action: str,
    verb: Callable[..., int],
    how: dict[str, Any],
    touched: list[int],
) -> None:
    theirs = insert(other_space, 9, pinned=False)
    before = _rows(space) + _rows(other_space)
    ids = [memory.pk for memory in [*four, theirs]]

    changed = verb(space=space, memory_ids=ids, actor=ACTION, now=NOW, **how)

    assert changed == len(touched)
    after = _rows(space) + _rows(other_space)
    different = {row["id"] for row, old in zip(after, before, strict=True) if row != old}
    assert different == {four[number].pk for number in touched}
    events = MemoryEvent.objects.filter(at=NOW, actor_type="user", actor_name="alice")
    assert {(e.memory_id, e.action) for e in events} == {(pk, action) for pk in different}

    assert undone_by(BOB, space, LATER) == Undone(0, 0)  # not theirs
    undone = undone_by(ALICE, space, LATER)

    assert undone == Undone(len(touched), 0)
    assert _rows(space) + _rows(other_space) == before
    assert undone_by(ALICE, space, LATER + timedelta(minutes=1)) == Undone(0, len(touched))
    assert _rows(space) + _rows(other_space) == before
    assert MemoryEvent.objects.filter(at=LATER).count() == len(touched)


def test_of_two_actions_in_the_same_microsecond_one_is_undone(
    space: Space, four: list[Memory]
) -> None:
    other = ALICE.in_action()
    tag: dict[str, Any] = {"tag": "new", "now": NOW, "space": space}
    bulk.tag_memories(memory_ids=[four[0].pk, four[1].pk], actor=ACTION, **tag)
    bulk.tag_memories(memory_ids=[four[2].pk], actor=other, **tag)
    for memory, actor in ((four[0], other), (four[2], ACTION)):
        bulk.delete_memories(space=space, memory_ids=[memory.pk], actor=actor, now=NOW)

    assert undone_by(ALICE, space, NOW) == Undone(2, 1)

    assert [stored(memory).tags for memory in four[:3]] == [["home", "food", "new"], [], ["new"]]
    assert [stored(memory).status for memory in four] == ["binned", "live", "live", "live"]


def test_statements_do_not_grow_with_the_number(space: Space, four: list[Memory]) -> None:
    def statements(memories: list[Memory], at: Any) -> int:
        ids = [memory.pk for memory in memories]
        with CaptureQueriesContext(connection) as queries:
            actor = ALICE.in_action()
            bulk.tag_memories(space=space, memory_ids=ids, tag=f"t{at:%H}", actor=actor, now=at)
            assert undone_by(ALICE, space, at, actor).back == len(ids)
        return len(queries)

    assert statements(four[:1], NOW) == statements(four, NOW + timedelta(hours=1))


def test_undo_leaves_what_was_changed_since(space: Space, four: list[Memory]) -> None:
    ids = [memory.pk for memory in four]
    bulk.tag_memories(space=space, memory_ids=ids, tag="new", actor=ACTION, now=NOW)
    changed, gone, *_ = four
    revise_memory(
        space=space, memory_id=changed.pk, change=MemoryChange(tags=["own"]), actor=BOB, now=LATER
    )
    delete_memory(space=space, memory_id=gone.pk, actor=BOB, now=LATER)

    undone = undone_by(ALICE, space, LATER + DAY)

    assert undone == Undone(2, 2)
    assert [stored(memory).tags for memory in four] == [["own"], ["new"], [], ["home", "food"]]
    kept = MemoryRevision.objects.filter(space=space, memory=four[3]).order_by("number")
    assert [past.reason for past in kept] == ["tag added: new", "undone"]


def test_undo_of_a_pin_leaves_one_that_was_pinned_anew_and_keeps_other_changes(
    space: Space, four: list[Memory]
) -> None:
    ids = [four[1].pk, four[3].pk]
    bulk.pin_memories(space=space, memory_ids=ids, pinned=True, actor=ACTION, now=NOW)
    for pinned in (False, True):
        bulk.pin_memories(space=space, memory_ids=[four[1].pk], pinned=pinned, actor=BOB, now=LATER)
    bulk.tag_memories(space=space, memory_ids=[four[3].pk], tag="x", actor=BOB, now=LATER)

    undone = undone_by(ALICE, space, LATER + DAY)

    assert undone == Undone(1, 1)
    assert (stored(four[1]).pinned, stored(four[3]).pinned) == (True, False)
    assert stored(four[3]).tags == ["home", "food", "x"]


def test_undo_of_a_deletion_leaves_what_came_back_and_went_again_and_begins_no_clock_anew(
    space: Space, four: list[Memory]
) -> None:
    ids = [memory.pk for memory in four]
    bulk.delete_memories(space=space, memory_ids=ids, actor=ACTION, now=NOW)
    assert stored(four[1]).importance_then == pytest.approx(
        MemoryEvent.objects.get(memory_id=four[1].pk, at=NOW).current_importance
    )
    restore_memory(space=space, memory_id=four[0].pk, actor=BOB, now=LATER)
    restore_memory(space=space, memory_id=four[1].pk, actor=BOB, now=LATER)
    delete_memory(space=space, memory_id=four[1].pk, actor=BOB, now=LATER)

    undone = undone_by(ALICE, space, LATER + DAY)

    assert undone == Undone(2, 2)
    assert [stored(memory).status for memory in four] == ["live", "binned", "live", "live"]
    assert stored(four[3]).clock_started_at == four[3].clock_started_at
    assert actions(four[3]) == ["deleted", "restored"]
    departed = MemoryEvent.objects.in_space(space).removals().filter(memory_id=four[3].pk)
    assert [vars(event)["why"] for event in departed] == ["deleted"]


def test_what_is_not_alive_is_left_alone(space: Space) -> None:
    old = insert(space, 1, importance=0.1, clock_started_at=NOW - 9 * DAY)
    sweep(space=space, now=NOW)
    before = _rows(space)
    for _, verb, how, *_ in ACTIONS:
        assert verb(space=space, memory_ids=[old.pk], actor=ALICE, now=LATER, **how) == 0
    assert _rows(space) == before
    assert actions(old) == ["expired"]


def test_a_tag_too_many_changes_none(space: Space, four: list[Memory]) -> None:
    full = insert(space, 7, tags=[f"tag{number}" for number in range(MAX_TAGS)])
    before = _rows(space)

    with pytest.raises(Conflict):
        bulk.tag_memories(
            space=space, memory_ids=[full.pk, four[0].pk], tag="one more", actor=ALICE, now=NOW
        )

    assert _rows(space) == before
    assert not MemoryRevision.objects.exists()
