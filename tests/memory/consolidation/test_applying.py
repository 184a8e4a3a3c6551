"""Applied proposals, what becomes of the sources, and the undo that restores them exactly."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import Space
from foundation.actors import SYSTEM, Actor
from foundation.errors import Conflict, Forbidden, NotFound
from foundation.readers import EVERYONE, SHARED, Reader
from memory.consolidation.services import Applied, apply_proposals, reject_proposals
from memory.consolidation.undo import undo_action
from memory.drafts import MemoryChange
from memory.memories.bulk import delete_memories
from memory.models import ConsolidationProposal, Memory, MemoryEvent
from memory.retention.recycle_bin import purge_memories, restore_memories
from memory.retention.removals import with_removals
from memory.store.services import revise_memory
from memory.store.uses import mark_used
from tests.memory.consolidation.runs import PENICILLIN, episode, proposals, proposed, run, said
from tests.memory.writing import ALICE, NOW, actions, set_policy, stored

pytestmark = pytest.mark.django_db

APPLIED_AT = NOW + timedelta(days=9)
EXACT = (
    "status", "content", "tags", "importance", "use_count", "last_active_at", "clock_started_at",
    "expires_at", "restored_at", "revision", "binned_at", "bin_reason", "importance_then",
)  # fmt: skip


def applied(space: Space, found: list[ConsolidationProposal]) -> Applied:
    return apply_proposals(space=space, proposals=found, actor=ALICE, now=APPLIED_AT)


def columns(memories: list[Memory]) -> list[list[Any]]:
    rows = Memory.objects.filter(pk__in=[one.pk for one in memories]).order_by("pk")
    return [list(row) for row in rows.values_list(*EXACT)]


def undone(space: Space, action_id: Any, reader: Reader = EVERYONE) -> int:
    actor = Actor("user", "bob")
    found = undo_action(
        space=space, reader=reader, action_id=action_id, actor=actor, now=APPLIED_AT
    )
    return found.restored


def test_a_merge_keeps_tags_uses_importance_and_the_longest_lifetime(space: Space) -> None:
    first, second = said(space, *PENICILLIN)
    Memory.objects.filter(pk=first.pk).update(tags=["health"], importance=0.9, expires_at=None)
    Memory.objects.filter(pk=second.pk).update(tags=["allergy", "health"])
    for memory in (first, second, second):
        used = {memory.pk: memory == first}
        mark_used(
            space=space, memory_ids=[memory.pk], answered=used, actor=SYSTEM, now=NOW, reason=""
        )

    done = applied(space, proposed(space))

    assert (done.applied, done.outdated) == (1, 0)
    merged = Memory.objects.in_space(space).live().get()
    assert merged.content in PENICILLIN
    assert sorted(merged.tags) == ["allergy", "health"]
    assert (merged.importance, merged.use_count, merged.last_active_at) == (0.9, 3, NOW)
    assert merged.counts == (1, 2, 0, 0)
    assert (merged.expires_at, merged.created_at) == (None, second.created_at)
    for source in (stored(first), stored(second)):
        assert (source.status, source.bin_reason) == ("binned", "consolidated")
        assert source.binned_at == APPLIED_AT
    event = MemoryEvent.objects.get(memory_id=first.pk, action="deleted")
    assert event.reason == f"consolidated into: {merged.content}"
    # The bin shows what each source became.
    binned = list(Memory.objects.in_space(space).binned())
    assert [removal.became for _one, removal in with_removals(binned, space)] == [merged, merged]


def test_one_action_undoes_a_run_exactly(space: Space) -> None:
    memories = said(space, *PENICILLIN, "User smokes", "User quit smoking") + episode(space)
    before = columns(memories)
    job = run(space)
    done = applied(space, proposals(job))
    assert done.applied == 4
    assert Memory.objects.in_space(space).live().count() == 4

    restored = undone(space, done.action_id)

    assert restored == 8
    assert columns(memories) == before
    assert set(Memory.objects.in_space(space).live()) == set(memories)
    assert actions(memories[0]) == ["created", "deleted", "restored"]
    assert {one.state for one in proposals(job)} == {"undone"}
    with pytest.raises(Conflict):
        undone(space, done.action_id)
    # What a person has undone is not proposed again.
    assert proposed(space) == []


def test_the_newer_statement_stays_as_it_was(space: Space) -> None:
    old, new = said(space, "User smokes", "User quit smoking")
    before = columns([new])

    applied(space, proposed(space))

    assert columns([new]) == before
    assert (stored(old).status, stored(old).bin_reason) == ("binned", "consolidated")
    [(_binned, removal)] = with_removals([stored(old)], space)
    assert removal.became == new


def test_a_result_that_was_changed_since_is_left(space: Space) -> None:
    said(space, *PENICILLIN)
    done = applied(space, proposed(space))
    merged = Memory.objects.in_space(space).live().get()
    change = MemoryChange(content="User is allergic to penicillin since 2019")
    revise_memory(space=space, memory_id=merged.pk, change=change, actor=ALICE, now=APPLIED_AT)

    assert undone(space, done.action_id) == 0
    assert Memory.objects.in_space(space).live().get().pk == merged.pk


def test_a_source_restored_by_a_person_stays_when_the_action_is_undone(space: Space) -> None:
    first, second = said(space, *PENICILLIN)
    done = applied(space, proposed(space))
    restore_memories(space=space, memory_ids=[first.pk], actor=ALICE, now=APPLIED_AT)

    assert undone(space, done.action_id) == 1
    assert {stored(first).status, stored(second).status} == {"live"}


def test_a_result_stays_when_its_sources_are_purged(space: Space) -> None:
    sources = said(space, *PENICILLIN)
    done = applied(space, proposed(space))
    merged = Memory.objects.in_space(space).live().get()
    ids = [one.pk for one in sources]
    purge_memories(space=space, memory_ids=ids, actor=ALICE, now=APPLIED_AT)

    assert undone(space, done.action_id) == 0
    assert Memory.objects.in_space(space).live().get() == merged


@pytest.mark.parametrize("change", ["revised", "pinned", "deleted"])
def test_an_outdated_proposal_is_not_applied(space: Space, change: str) -> None:
    first, second = said(space, *PENICILLIN)
    found = proposed(space)
    if change == "deleted":
        delete_memories(space=space, memory_ids=[first.pk], actor=ALICE, now=NOW)
    else:
        changed = MemoryChange(pinned=True) if change == "pinned" else MemoryChange(tags=["new"])
        revise_memory(space=space, memory_id=first.pk, change=changed, actor=ALICE, now=NOW)

    done = applied(space, found)

    assert (done.action_id, done.applied, done.outdated) == (None, 0, 1)
    assert stored(second).status == "live"
    assert not ConsolidationProposal.objects.in_space(space).exists()


def test_a_proposal_is_decided_once(space: Space) -> None:
    said(space, *PENICILLIN)
    found = proposed(space)
    assert reject_proposals(space=space, proposals=found, now=NOW) == 1

    assert applied(space, found).applied == 0
    assert Memory.objects.in_space(space).live().count() == 2


def test_a_nightly_run_applies_what_the_policy_is_sure_of(space: Space) -> None:
    policy = {"mode": "automatic", "min_confidence": 0.9}
    set_policy(space, consolidation=policy, assessment={"hold_conflicts": True})
    said(space, *PENICILLIN, "User smokes", "User quit smoking")
    episode(space)

    job = run(space, applies=True)

    assert job.result["applied"] == 1
    states = {one.kind: one.state for one in proposals(job)}
    assert states == {"merge": "applied", "contradiction": "open", "summarise": "open"}
    assert undone(space, job.result["action_id"]) == 2


def test_a_user_changes_no_shared_memories(space: Space) -> None:
    said(space, *PENICILLIN)
    done = applied(space, proposed(space))

    with pytest.raises(Forbidden):
        undone(space, done.action_id, Reader("alice"))
    assert undone(space, done.action_id, SHARED) == 2


def test_another_users_action_does_not_exist(space: Space) -> None:
    said(space, *PENICILLIN, user_id="alice")
    done = applied(space, proposed(space))

    for action_id in (done.action_id, uuid4()):
        with pytest.raises(NotFound):
            undone(space, action_id, Reader("bob"))


def test_a_persons_own_change_of_many_memories_is_undone_as_well(space: Space) -> None:
    actor = Actor("user", "bob", uuid4())
    [memory] = said(space, PENICILLIN[0], user_id="alice")
    delete_memories(space=space, memory_ids=[memory.pk], actor=actor, now=NOW)

    with pytest.raises(NotFound):
        undone(space, actor.action_id, Reader("bob"))
    assert undone(space, actor.action_id) == 1
    assert stored(memory).status == "live"


def test_a_purge_erases_the_text_from_proposals_and_reasons(space: Space) -> None:
    said(space, *PENICILLIN)
    applied(space, proposed(space))
    for memory in Memory.objects.in_space(space).live():
        delete_memories(space=space, memory_ids=[memory.pk], actor=ALICE, now=NOW)
    ids = Memory.objects.in_space(space).values_list("pk", flat=True)

    purge_memories(space=space, memory_ids=list(ids), actor=ALICE, now=timezone.now())

    [one] = ConsolidationProposal.objects.in_space(space).values()
    assert "penicillin" not in str(one)
    assert not MemoryEvent.objects.in_space(space).filter(reason__contains="penicillin").exists()
