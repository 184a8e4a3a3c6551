"""The ends of a move to another model: cancelled, resumed, refused, cleaned up."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Embedder, Space
from foundation.errors import Conflict, NotFound
from memory.embeddings import switching
from memory.embeddings.embedders import register_embedder
from memory.embeddings.switching import BATCH, GRACE, cancel_switch, resume_switch
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import JobState
from tests.memory.embeddings.moving import (
    COUNT,
    begin,
    fill,
    found,
    models_of,
    target,
    vectors_by,
    work,
)
from tests.memory.writing import NOW, remember
from tests.processes import queue
from tests.stub_model import StubModel

__all__ = ["queue", "target"]


def test_cancelled_switch_leaves_nothing_and_can_be_resumed(
    space: Space, target: Embedder, remote_models: StubModel
) -> None:
    fill(space)
    before = found(space)
    remote_models.script_embeddings("ok", "429:600")
    job = work(begin(space, target))
    assert (job.state, vectors_by(space, target)) == (JobState.RUNNING, BATCH)
    assert "reached its rate limit" in job.error
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
    with pytest.raises(Conflict, match="already running"):
        begin(space, register_embedder(provider="openai", model="stub-48"))
