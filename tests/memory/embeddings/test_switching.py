"""A space moves to another embedding model: found as before until the switch, then as if it had
never had another."""

import threading
from collections.abc import Callable
from uuid import UUID

import pytest
from django.db import connection, transaction

from accounts.models import Embedder, Space
from foundation.actors import SYSTEM
from memory.drafts import MemoryChange, MemoryDraft
from memory.embeddings.switching import BATCH, resume_switch
from memory.models import Job, JobState, Memory
from memory.recall.recall import SearchRequest, recall
from memory.spaces.services import create_space
from memory.store.services import prepare_memories, revise_memory, store_memories
from tests.conftest import ApiClient, MakeKey
from tests.memory.embeddings.moving import (
    BOTH,
    COUNT,
    begin,
    fill,
    found,
    models_of,
    target,
    vectors_by,
    work,
)
from tests.memory.writing import ALICE, NOW, remember
from tests.processes import queue
from tests.stub_model import StubModel

__all__ = ["queue", "target"]


def test_after_the_switch_a_space_is_as_one_that_always_had_the_model(
    space: Space,
    target: Embedder,
    remote_models: StubModel,
    api: Callable[[str | None], ApiClient],
    key: MakeKey,
) -> None:
    fill(space)
    always = create_space(slug="always", name="Always", embedder=target, actor=SYSTEM)
    fill(always)
    before, client = found(space), api(key())
    assert client.post("memories/search", {"query": "pizza"}).status_code == 200

    job = work(begin(space, target))

    assert (job.state, job.done, job.total) == (JobState.DONE, COUNT, COUNT)
    assert found(space) == found(always) != before
    # The key was read with its space before; the next request sees the switch.
    asked = len(remote_models.embedding_requests)
    assert client.post("memories/search", {"query": "pizza"}).status_code == 200
    [request] = remote_models.embedding_requests[asked:]
    assert (request.body["model"], request.body["input_type"]) == ("stub-64", "query")


def test_until_the_switch_nothing_changes_and_what_comes_gets_both(
    space: Space, target: Embedder, remote_models: StubModel
) -> None:
    fill(space)
    before = found(space)
    remote_models.script_embeddings("ok", "401")

    job = work(begin(space, target))

    assert (job.state, job.done) == (JobState.FAILED, BATCH)
    assert "API key" in job.error
    assert found(space) == before
    space.refresh_from_db()
    new = remember(space, "User bought a tent")
    old = Memory.objects.in_space(space).get(content__endswith="time 3")
    revise_memory(
        space=space, memory_id=old.pk, change=MemoryChange(content="User sold the bicycle"),
        actor=ALICE, now=NOW,
    )  # fmt: skip
    assert models_of(new) == models_of(old) == BOTH
    # It goes on where it stood, and asks for nothing twice.
    asked = len(remote_models.embedding_requests)
    assert resume_switch(space=space, now=NOW).pk == job.pk
    assert work(job).state == JobState.DONE
    texts = [text for r in remote_models.embedding_requests[asked:] for text in r.body["input"]]
    assert len(texts) in {COUNT - BATCH, COUNT - BATCH - 1}  # the changed one may be among them
    assert vectors_by(space, target) == COUNT + 1


def test_new_model_that_is_away_keeps_nobody_from_writing(
    space: Space, target: Embedder, remote_models: StubModel
) -> None:
    first = remember(space, "User likes pizza")
    job = begin(space, target)
    space.refresh_from_db()
    remote_models.script_embeddings("401", "401")

    second = remember(space, "User likes tea")
    revise_memory(
        space=space, memory_id=first.pk, change=MemoryChange(content="User likes bread"),
        actor=ALICE, now=NOW,
    )  # fmt: skip

    assert models_of(first) == models_of(second) == {"local/all-MiniLM-L6-v2"}
    assert work(job).state == JobState.DONE
    assert models_of(first) == models_of(second) == BOTH


def test_old_vector_of_a_changed_memory_does_not_come_back(space: Space, target: Embedder) -> None:
    """Changed after the switch, it has none by the model that was left; moving back makes one."""
    before = space.embedder
    memory = remember(space, "User likes pizza")
    work(begin(space, target))
    space.refresh_from_db()
    revise_memory(
        space=space, memory_id=memory.pk, change=MemoryChange(content="User likes tea"),
        actor=ALICE, now=NOW,
    )  # fmt: skip
    assert models_of(memory) == {"voyage/stub-64"}

    work(begin(space, before))

    assert recall(
        Space.objects.get(pk=space.pk),
        SearchRequest("User likes tea", profile="relevance"),
        now=NOW,
    ).results[0].similarity == pytest.approx(1, abs=0.01)


def test_one_who_read_the_space_before_the_switch_writes_for_after_it(
    space: Space, target: Embedder
) -> None:
    remember(space, "User likes pizza")
    drafts = [MemoryDraft(content="User likes tea")]
    prepared = prepare_memories(space=space, drafts=drafts, now=NOW)
    work(begin(space, target))

    [late] = store_memories(prepared=prepared, actor=ALICE, now=NOW)

    assert models_of(late) == {"voyage/stub-64"}


def test_memories_in_the_bin_and_in_review_move_too(space: Space, target: Embedder) -> None:
    memory = remember(space, "User likes pizza")
    Memory.objects.filter(pk=memory.pk).update(status="binned", binned_at=NOW)

    assert work(begin(space, target)).state == JobState.DONE
    assert models_of(memory) == BOTH


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("queue")
def test_switch_waits_for_one_who_is_writing(space: Space, target: Embedder) -> None:
    """The other transaction has written a memory that is not visible yet, embedded by the old
    model only."""
    remember(space, "User likes pizza")
    job = begin(space, target)
    late: list[UUID] = []
    stale = Space.objects.get(pk=space.pk)
    stale.next_embedder = None
    ended = threading.Event()

    def move() -> None:
        try:
            work(Job.objects.get(pk=job.pk))
        finally:
            connection.close()
            ended.set()

    mover = threading.Thread(target=move)
    with transaction.atomic():
        late.append(remember(stale, "User likes tea").pk)
        mover.start()
        assert not ended.wait(0.5), "the switch did not wait for the writer"
    mover.join()

    job.refresh_from_db()
    assert job.state == JobState.DONE
    assert models_of(Memory.objects.get(pk=late[0])) == BOTH
