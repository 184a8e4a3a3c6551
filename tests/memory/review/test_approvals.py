"""A held memory that is let in meets what is known, and taking that back leaves it as it was.
Discarding what was learned brings back what it had superseded."""

from datetime import timedelta

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Space
from foundation.errors import Conflict
from memory.models import Memory, MemoryEvent, MemoryRevision, WebhookDelivery
from memory.models.history import Action
from memory.reconciliation.discarding import discard_memory, undo_discard
from memory.reconciliation.rules import patched
from memory.review.services import approve_memory, decide_alike, reopen_memories
from memory.webhooks.services import create_webhook
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import ALICE, NOW, actions, hold, remember, stored

SOON, LATER, LATEST = (NOW + timedelta(days=days) for days in (1, 2, 3))
MOVED = "User moved from Lisbon to Porto"


def approve(memory: Memory) -> Memory:
    return approve_memory(space=memory.space, memory_id=memory.pk, actor=ALICE, now=SOON)


def reopen(*memories: Memory) -> None:
    ids = [memory.pk for memory in memories]
    reopen_memories(space=memories[0].space, memory_ids=ids, actor=ALICE, now=LATER)


def state(memory: Memory) -> tuple[str, str, str, float]:
    found = stored(memory)
    return found.status, found.bin_reason, found.content, found.importance


def test_what_says_the_same_reinforces_it(space: Space) -> None:
    known = remember(space, "User is allergic to penicillin", importance=0.5)
    again = hold(space, "The user is allergic to penicillin!")

    holder = approve(again)

    assert holder.pk == known.pk
    assert stored(known).importance > 0.5
    assert stored(known).clock_started_at == SOON
    assert (stored(again).status, stored(again).bin_reason) == ("binned", "superseded")
    assert actions(known) == ["created", "reinforced"]
    assert actions(again) == ["created", "held", "approved", "deleted"]

    approved = MemoryEvent.objects.get(memory_id=again.pk, action=Action.APPROVED)
    done = MemoryEvent.objects.in_space(space).filter(action_id=approved.action_id)
    assert {event.action for event in done} == {"approved", "deleted", "reinforced"}

    reopen(again)

    assert state(known) == ("live", "", "User is allergic to penicillin", 0.5)
    assert state(again)[:2] == ("review", "")
    assert actions(again)[-1] == "held"


def test_what_replaces_another_lets_that_go(space: Space) -> None:
    old = remember(space, "User lives in Lisbon", memory_type="fact")
    new = hold(space, MOVED)

    assert approve(new).pk == new.pk

    assert state(old)[:2] == ("binned", "superseded")
    assert (stored(new).status, stored(new).clock_started_at) == ("live", SOON)
    line = MemoryEvent.objects.get(memory_id=old.pk, action=Action.DELETED)
    assert (line.at, line.reason) == (SOON, f"replaced by: {MOVED}")
    assert (line.reason_code, line.reason_argument) == ("replaced", MOVED)

    reopen(new)

    assert state(old)[:2] == ("live", "")
    assert state(new)[:2] == ("review", "")


def test_what_changes_one_of_several_facts_is_added_to_it(space: Space) -> None:
    several = "User lives in Lisbon. User plays the cello"
    old = remember(space, several, importance=0.5)
    new = hold(space, MOVED, importance=0.8)

    assert approve(new).pk == old.pk

    assert state(old) == ("live", "", patched(several, MOVED, SOON), 0.8)
    assert state(new)[:2] == ("binned", "superseded")

    reopen(new)

    assert state(old) == ("live", "", several, 0.5)
    assert MemoryRevision.objects.filter(memory=old).count() == 2
    assert state(new)[:2] == ("review", "")


def test_what_has_happened_since_is_not_undone(space: Space) -> None:
    known = remember(space, "User is allergic to penicillin", importance=0.5)
    first = hold(space, "The user is allergic to penicillin!")
    second = hold(space, "User is allergic to penicillin.")
    approve(first)
    approve_memory(space=space, memory_id=second.pk, actor=ALICE, now=LATER)
    twice = stored(known).importance

    reopen(first)

    assert stored(known).importance == twice
    assert state(first)[0] == "review"
    approve_memory(space=space, memory_id=first.pk, actor=ALICE, now=LATEST)
    other = remember(space, "The cello has four strings")
    with pytest.raises(Conflict):
        reopen(first, other)
    assert state(first)[:2] == ("binned", "superseded")


def test_those_decided_at_once_are_each_taken_back(space: Space) -> None:
    known = remember(space, "User is allergic to penicillin", importance=0.5)
    lisbon = remember(space, "User lives in Lisbon", memory_type="fact")
    held = [hold(space, words) for words in ("User is allergic to penicillin!", MOVED)]

    decided = decide_alike(space=space, kind="It reads odd.", approve=True, actor=ALICE, now=SOON)

    assert {memory.pk for memory in decided} == {memory.pk for memory in held}
    assert (stored(known).importance > 0.5, stored(lisbon).status) == (True, "binned")
    reopen(held[1])
    assert (stored(known).importance > 0.5, stored(lisbon).status) == (True, "live")
    reopen(held[0])
    assert stored(known).importance == 0.5
    assert {stored(memory).status for memory in held} == {"review"}


def test_an_approval_of_before_actions_had_ids_is_taken_back(space: Space) -> None:
    several = "User lives in Lisbon. User plays the cello"
    old = remember(space, several, importance=0.5)
    new = hold(space, MOVED, importance=0.8)
    approve(new)
    QuerySet.update(MemoryEvent.objects.in_space(space), action_id=None)
    MemoryRevision.objects.update(action_id=None)

    reopen(new)

    assert state(old) == ("live", "", several, 0.5)
    assert state(new)[:2] == ("review", "")


def test_chain_of_approvals_is_taken_back_from_its_end(space: Space) -> None:
    lisbon = remember(space, "User lives in Lisbon", memory_type="fact")
    porto = hold(space, MOVED)
    rome = hold(space, "User moved from Porto to Rome")
    approve(porto)
    approve_memory(space=space, memory_id=rome.pk, actor=ALICE, now=LATER)
    assert stored(lisbon).status == "binned"

    reopen_memories(space=space, memory_ids=[porto.pk, rome.pk], actor=ALICE, now=LATEST)

    assert [stored(one).status for one in (lisbon, porto, rome)] == ["live", "review", "review"]


def test_the_api_answers_with_what_holds_it_now_and_webhooks_hear_of_no_new_one(
    key: MakeKey, space: Space
) -> None:
    known = remember(space, "User is allergic to penicillin", importance=0.5)
    again = hold(space, "The user is allergic to penicillin!")
    hook = create_webhook(
        space=space, url="https://example.org/", events=["memory.created"], actor=ALICE,
        now=timezone.now(),
    )  # fmt: skip

    answer = ApiClient(key()).post(f"memories/{again.short_id}/approve")

    assert (answer.status_code, answer.json()["id"]) == (200, str(known.pk))
    assert answer.json()["importance"] > 0.5
    assert ApiClient(key()).post(f"memories/{again.short_id}/approve").status_code == 409
    assert not WebhookDelivery.objects.filter(webhook=hook).exists()


# --- Discarding ---------------------------------------------------------------------------------


def discard(memory: Memory) -> None:
    discard_memory(
        space=memory.space, memory_id=memory.pk, actor=ALICE, now=LATER, reason="it was wrong"
    )


def superseding(space: Space) -> tuple[Memory, Memory]:
    """A memory, and one that came in its place."""
    old = remember(space, "User lives in Lisbon", memory_type="fact")
    new = hold(space, MOVED)
    approve(new)
    return old, new


@pytest.mark.parametrize("has_ids", [True, False], ids=["new", "of before"])
def test_discarding_brings_back_what_it_had_superseded_and_undoing_that(
    space: Space, has_ids: bool
) -> None:
    old, new = superseding(space)
    if not has_ids:  # as the rows from before actions had ids
        QuerySet.update(MemoryEvent.objects.in_space(space), action_id=None)

    for _ in range(2):
        discard(new)
        assert (stored(old).status, stored(new).bin_reason) == ("live", "deleted")
        undo_discard(space=space, memory_id=new.pk, actor=ALICE, now=LATEST)
        assert (stored(old).bin_reason, stored(new).status) == ("superseded", "live")
    undo_discard(space=space, memory_id=new.pk, actor=ALICE, now=LATEST)
    assert stored(new).status == "live"


@pytest.mark.parametrize(
    "since", ["User moved from Lisbon to Rome", "User lives in Lisbon"], ids=["replaced", "said"]
)
def test_what_something_else_stands_for_does_not_come_back(space: Space, since: str) -> None:
    old, new = superseding(space)
    remember(space, since, memory_type="fact")

    discard(new)

    assert state(old)[:2] == ("binned", "superseded")


def test_what_a_person_took_out_of_the_bin_or_deleted_is_left_alone(space: Space) -> None:
    old, new = superseding(space)
    Memory.objects.filter(pk=old.pk).update(bin_reason="deleted")

    discard(new)
    discard(new)

    assert state(old)[:2] == ("binned", "deleted")
    assert actions(new)[-1] == "deleted"
