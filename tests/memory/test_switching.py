"""A space moves to another embedding model: found as before until the switch, then as if it had
never had another."""

import threading
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from memory.actors import SYSTEM
from memory.drafts import MemoryChange, MemoryDraft
from memory.errors import Conflict, NotFound
from memory.jobs import work_at
from memory.models import Embedder, Job, JobState, Memory, MemoryEmbedding, Space
from memory.recall import recall
from memory.services import jobs, switching
from memory.services.embedders import register_embedder
from memory.services.memories import (
    create_memories,
    prepare_memories,
    revise_memory,
    store_memories,
)
from memory.services.spaces import create_space
from memory.services.switching import BATCH, GRACE, cancel_switch, resume_switch, start_switch
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import ALICE, NOW, remember
from tests.processes import queue, wait_until
from tests.stub_model import StubModel

__all__ = ["queue"]

TOPICS = ["pizza with olives", "the Q4 budget", "hiking in the Alps", "a red bicycle", "里斯本的猫"]
QUESTIONS = ["What about the Alps?", "pizza or a bicycle", "里斯本"]
COUNT = BATCH + 8


@pytest.fixture
def target(remote_models: StubModel) -> Embedder:
    return register_embedder(provider="voyage", model="stub-64")


def fill(space: Space) -> None:
    drafts = [
        MemoryDraft(
            content=f"User talked of {TOPICS[number % len(TOPICS)]}, time {number}",
            importance=number / COUNT,
            created_at=NOW - timedelta(days=number),
        )
        for number in range(COUNT)
    ]
    create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)


def found(space: Space) -> list[list[tuple[str, float]]]:
    """What each question finds, with its score, in a space as it is now."""
    space = Space.objects.select_related("embedder").get(pk=space.pk)
    answers = [recall(space=space, query=query, now=NOW, limit=20) for query in QUESTIONS]
    return [[(hit.memory.content, round(hit.score, 6)) for hit in one.results] for one in answers]


def begin(space: Space, target: Embedder) -> Job:
    return start_switch(space=space, embedder=target, actor=ALICE, now=timezone.now())


def work(job: Job) -> Job:
    """What a worker does with it; the job as it is then."""
    claimed = jobs.claim_job(space_id=job.space_id, job_id=job.pk, now=timezone.now())
    assert claimed is not None
    work_at(claimed)
    job.refresh_from_db()
    return job


def models_of(memory: Memory) -> set[str]:
    rows = MemoryEmbedding.objects.filter(space_id=memory.space_id, memory=memory)
    return {str(row.embedder) for row in rows.select_related("embedder")}


def vectors_by(space: Space, embedder: Embedder) -> int:
    return MemoryEmbedding.objects.in_space(space).made_by(embedder).count()


BOTH = {"local/all-MiniLM-L6-v2", "voyage/stub-64"}


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
        space=Space.objects.get(pk=space.pk), query="User likes tea", now=NOW, profile="relevance"
    ).results[0].similarity == pytest.approx(1, abs=0.01)


def test_cancelled_switch_leaves_nothing_and_can_be_resumed(
    space: Space, target: Embedder, remote_models: StubModel
) -> None:
    fill(space)
    before = found(space)
    remote_models.script_embeddings("ok", "429:600")
    job = work(begin(space, target))
    assert (job.state, vectors_by(space, target)) == (JobState.RUNNING, BATCH)
    assert "asks for fewer requests" in job.error
    assert job.leased_until is not None
    assert job.leased_until > timezone.now() + timedelta(seconds=590)

    assert cancel_switch(space=space, now=timezone.now()).state == JobState.CANCELLED

    space.refresh_from_db()
    assert (space.next_embedder, vectors_by(space, target)) == (None, 0)
    assert found(space) == before
    assert models_of(remember(space, "User likes tea")) == {"local/all-MiniLM-L6-v2"}
    with pytest.raises(NotFound):
        cancel_switch(space=space, now=timezone.now())
    resume_switch(space=space, now=timezone.now())
    assert work(job).state == JobState.DONE
    assert vectors_by(space, target) == COUNT + 1


def test_worker_is_told_to_stop_and_writes_nothing_more(space: Space, target: Embedder) -> None:
    fill(space)
    job = begin(space, target)
    claimed = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=timezone.now())
    assert claimed is not None

    assert cancel_switch(space=space, now=timezone.now()).state == JobState.RUNNING
    work_at(claimed)

    job.refresh_from_db()
    space.refresh_from_db()
    assert (job.state, space.next_embedder) == (JobState.CANCELLED, None)
    assert vectors_by(space, target) == 0


def test_one_who_read_the_space_before_the_switch_writes_for_after_it(
    space: Space, target: Embedder
) -> None:
    remember(space, "User likes pizza")
    drafts = [MemoryDraft(content="User likes tea")]
    prepared = prepare_memories(space=space, drafts=drafts, now=NOW)
    work(begin(space, target))

    [late] = store_memories(prepared=prepared, actor=ALICE, now=NOW)

    assert models_of(late) == {"voyage/stub-64"}


def test_vectors_that_were_left_go_after_a_while(space: Space, target: Embedder) -> None:
    before = space.embedder
    fill(space)
    job = work(begin(space, target))
    assert job.ended_at is not None

    switching.clear_after_switches(now=job.ended_at + GRACE - timedelta(seconds=1))
    assert vectors_by(space, before) == COUNT
    switching.clear_after_switches(now=job.ended_at + GRACE)
    assert (vectors_by(space, before), vectors_by(space, target)) == (0, COUNT)
    job.refresh_from_db()
    assert job.result == {"dropped": COUNT}


def test_vectors_stay_if_the_space_has_moved_back(space: Space, target: Embedder) -> None:
    before = space.embedder
    remember(space, "User likes pizza")
    work(begin(space, target))
    back = work(begin(space, before))
    assert back.ended_at is not None

    switching.clear_after_switches(now=back.ended_at + GRACE)

    assert (vectors_by(space, before), vectors_by(space, target)) == (1, 0)


def test_switch_to_nowhere_is_refused(space: Space, target: Embedder) -> None:
    with pytest.raises(NotFound):
        cancel_switch(space=space, now=NOW)
    with pytest.raises(NotFound):
        resume_switch(space=space, now=NOW)
    with pytest.raises(Conflict, match="already"):
        begin(space, space.embedder)
    begin(space, target)
    with pytest.raises(Conflict, match="under way"):
        begin(space, register_embedder(provider="openai", model="stub-48"))


def test_memories_in_the_bin_and_in_review_move_too(space: Space, target: Embedder) -> None:
    memory = remember(space, "User likes pizza")
    Memory.objects.filter(pk=memory.pk).update(status="binned", binned_at=NOW)

    assert work(begin(space, target)).state == JobState.DONE
    assert models_of(memory) == BOTH


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("queue")
def test_switch_waits_for_one_who_is_writing(space: Space, target: Embedder) -> None:
    """They have written a memory that nobody sees yet, by the old model only."""
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
    mover.join(20)

    job.refresh_from_db()
    assert job.state == JobState.DONE
    assert models_of(Memory.objects.get(pk=late[0])) == BOTH


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("queue")
def test_command_moves_a_space_and_shows_how_far_it_is(space: Space, target: Embedder) -> None:
    fill(space)

    def take_what_comes() -> None:
        try:
            wait_until(lambda: switching.latest_switch(space) is not None, what="a job")
            work(Job.objects.get(kind=switching.KIND))
        finally:
            connection.close()

    worker, said = threading.Thread(target=take_what_comes), StringIO()
    worker.start()
    call_command("switch_embedder", space="home", provider="voyage", model="stub-64", stdout=said)
    worker.join()

    space.refresh_from_db()
    assert space.embedder == target
    first, last = said.getvalue().splitlines()
    assert first.startswith("voyage/stub-64 answers: 64 dimensions, ")
    assert first.endswith(f" {COUNT} memories, less than a minute.")
    assert last == "Home has voyage/stub-64 now."


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"space": "nowhere"}, "no space nowhere"),
        ({"space": "home"}, "--provider and --model"),
        ({"space": "home", "provider": "voyage", "model": "stub-64"}, "refused the API key"),
        ({"space": "home", "provider": "local", "model": "all-MiniLM-L6-v2"}, "already"),
        ({"space": "home", "cancel": True}, "not moving"),
        ({"space": "home", "resume": True}, "never"),
    ],
)
def test_command_says_what_is_wrong(
    space: Space, remote_models: StubModel, options: dict[str, str], said: str
) -> None:
    remote_models.script_embeddings("401")

    with pytest.raises(CommandError, match=said):
        call_command("switch_embedder", **options)
