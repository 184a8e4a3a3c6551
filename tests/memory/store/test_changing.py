"""Changing, using, letting go and taking back: each with its line in the history."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from accounts.models import Space
from foundation.actors import SYSTEM
from foundation.errors import Conflict, NotFound
from memory.drafts import Facets, MemoryChange
from memory.models import Memory, MemoryEvent, MemoryRevision
from memory.recall.recall import SearchRequest, recall
from memory.retention.recycle_bin import delete_memory, restore_memory
from memory.store.services import revise_memory
from memory.store.uses import mark_used
from tests.memory.writing import ALICE, NOW, actions, remember, set_policy, stored

LATER = NOW + timedelta(days=2)


def revise(memory: Memory, **change: object) -> Memory:
    return revise_memory(
        space=memory.space,
        memory_id=memory.pk,
        change=MemoryChange.model_validate(change),
        actor=ALICE,
        now=LATER,
    )


def use(space: Space, *ids: UUID) -> None:
    mark_used(
        space=space,
        memory_ids=ids,
        supporting=ids,
        actor=SYSTEM,
        now=LATER,
        reason="conversation 1",
    )


def test_revising_keeps_the_old_text_and_is_found_by_the_new(space: Space) -> None:
    memory = remember(space, "User lives in Paris", memory_type="fact", tags=["city"])
    remember(space, "User likes pizza")

    revised = revise(memory, content="User lives in Lisbon", tags=["city", "portugal"])

    assert (revised.content, revised.revision) == ("User lives in Lisbon", 2)
    assert revised.tags == ["city", "portugal"]
    assert (revised.importance, revised.created_at) == (memory.importance, memory.created_at)
    past = MemoryRevision.objects.get(space_id=space.pk, memory=memory)
    assert (past.number, past.content, past.tags) == (1, "User lives in Paris", ["city"])
    assert (past.actor_name, past.replaced_at) == ("alice", LATER)
    assert actions(memory) == ["created", "revised"]
    lisbon = recall(space, SearchRequest("Lisbon", limit=1), now=LATER).results[0]
    assert lisbon.memory.pk == memory.pk
    assert lisbon.signals["lexical"] > 0.0
    paris = recall(space, SearchRequest("Paris", limit=2), now=LATER).results
    assert {result.signals["lexical"] for result in paris} == {0.0}


def test_revising_keeps_the_speaker_in_what_is_searched(space: Space) -> None:
    memory = remember(space, "I went to the lake", source={"speaker": "Melanie"})

    revise(memory, content="I went to the sea")

    found = recall(space, SearchRequest("Melanie"), now=LATER).results[0]
    assert found.signals["lexical"] > 0.0


def test_revising_to_the_same_changes_nothing(space: Space) -> None:
    memory = remember(space, "User likes pizza", tags=["food"])

    same = revise(memory, content="User likes pizza", tags=["food"])

    assert same.revision == 1
    assert not MemoryRevision.objects.exists()
    assert actions(memory) == ["created"]


def test_revised_importance_starts_a_new_lifetime(space: Space) -> None:
    memory = remember(space, "User likes pizza", importance=0.1)

    assert revise(memory, importance=0.5).expires_at == LATER + timedelta(days=30)
    assert revise(memory, facets=Facets(P=1.0, J=1.0)).expires_at is None
    assert stored(memory).importance == pytest.approx(0.8)
    assert stored(memory).core
    assert stored(memory).revision == 3


def test_pinning_is_in_the_history_and_no_revision(space: Space) -> None:
    memory = remember(space, "User likes pizza")

    assert revise(memory, pinned=True).pinned
    assert not revise(memory, pinned=False).pinned
    assert actions(memory) == ["created", "pinned", "unpinned"]
    assert stored(memory).revision == 1


def test_deleting_moves_to_the_bin_with_its_importance_then(space: Space) -> None:
    memory = remember(space, "User likes pizza", memory_type="preference")

    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW + timedelta(days=30))

    gone = stored(memory)
    assert (gone.status, gone.bin_reason) == ("binned", "deleted")
    assert gone.binned_at == NOW + timedelta(days=30)
    # 0.7 * (0.8 + 0.2 * exp(-30/30))
    assert gone.importance_then == pytest.approx(0.6115031, abs=1e-6)
    assert recall(space, SearchRequest("pizza"), now=LATER).results == []
    event = MemoryEvent.objects.get(memory_id=memory.pk, action="deleted")
    assert event.current_importance == gone.importance_then
    with pytest.raises(Conflict):
        revise(memory, content="something else")


def test_deleting_twice_is_one_event(space: Space) -> None:
    memory = remember(space, "User likes pizza")

    for _ in range(2):
        delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=LATER)

    assert actions(memory) == ["created", "deleted"]


def test_restoring_gives_a_fresh_clock(space: Space) -> None:
    memory = remember(space, "User likes pizza", importance=0.4)
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=LATER)
    back_at = NOW + timedelta(days=100)

    restore_memory(space=space, memory_id=memory.pk, actor=ALICE, now=back_at)

    back = stored(memory)
    assert (back.status, back.binned_at, back.bin_reason) == ("live", None, "")
    assert back.importance_then is None
    assert back.expires_at == back_at + timedelta(days=7)
    assert (back.importance, back.use_count, back.revision) == (0.4, 0, 1)
    assert actions(memory) == ["created", "deleted", "restored"]
    assert recall(space, SearchRequest("pizza"), now=back_at).memory_ids == [memory.pk]


def test_restoring_what_is_not_in_the_bin_is_a_conflict(space: Space) -> None:
    memory = remember(space, "User likes pizza")

    with pytest.raises(Conflict):
        restore_memory(space=space, memory_id=memory.pk, actor=ALICE, now=LATER)


def test_another_spaces_memory_does_not_exist(space: Space, other_space: Space) -> None:
    memory = remember(other_space, "User likes pizza")

    for verb in (delete_memory, restore_memory):
        with pytest.raises(NotFound):
            verb(space=space, memory_id=memory.pk, actor=ALICE, now=LATER)
    for id_ in (memory.pk, uuid4()):
        for change in (MemoryChange(content="mine now"), MemoryChange(pinned=True)):
            with pytest.raises(NotFound):
                revise_memory(space=space, memory_id=id_, change=change, actor=ALICE, now=LATER)
    use(space, memory.pk)
    assert stored(memory).use_count == 0
    assert actions(memory) == ["created"]


def test_use_counts_renews_and_is_in_the_history(space: Space) -> None:
    """ "use_count：仅当记忆被注入 prompt（topK=3）时 +1" (seed 003, section 1.5)."""
    low = remember(space, "It rained", importance=0.3)
    lasting = remember(space, "User is called Jaz", memory_type="identity")
    unused = remember(space, "It snowed", importance=0.3)

    use(space, low.pk, lasting.pk)
    use(space, low.pk)

    assert (stored(low).use_count, stored(lasting).use_count) == (2, 1)
    assert stored(low).last_active_at == LATER
    assert stored(low).expires_at == LATER + timedelta(days=7)
    assert stored(lasting).expires_at is None
    assert actions(low) == ["created", "used", "renewed", "used", "renewed"]
    assert MemoryEvent.objects.filter(action="used").values_list("reason", flat=True)[0] == (
        "conversation 1"
    )
    assert (stored(unused).use_count, stored(unused).last_active_at) == (0, None)
    assert stored(unused).expires_at == NOW + timedelta(days=7)


def test_use_renews_nothing_where_the_policy_says_so(space: Space) -> None:
    memory = remember(space, "It rained", importance=0.3)
    set_policy(space, ttl={"renew_on_use": False})

    use(space, memory.pk)

    assert stored(memory).expires_at == NOW + timedelta(days=7)
    assert stored(memory).use_count == 1


def test_binned_memories_are_not_used(space: Space) -> None:
    memory = remember(space, "It rained")
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)

    use(space, memory.pk)

    assert stored(memory).use_count == 0
    assert actions(memory) == ["created", "deleted"]


def test_searching_is_not_using(space: Space) -> None:
    memory = remember(space, "User likes pizza")

    for _ in range(3):
        assert recall(space, SearchRequest("pizza"), now=LATER).memory_ids == [memory.pk]

    assert (stored(memory).use_count, stored(memory).last_active_at) == (0, None)
    assert actions(memory) == ["created"]
