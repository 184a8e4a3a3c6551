"""The ends of a move to another model: cancelled, resumed, refused, cleaned up, by the command."""

import re
import threading
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from accounts.models import Embedder, Space
from foundation.errors import Conflict, NotFound
from memory.embeddings import switching
from memory.embeddings.embedders import register_embedder
from memory.embeddings.switching import BATCH, GRACE, cancel_switch, resume_switch
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import Job, JobState
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
from tests.processes import queue, wait_until
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
    assert first.startswith("voyage/stub-64 answered: 64 dimensions, ")
    assert re.search(rf" {COUNT} memories, \d+ seconds?\.$", first)
    assert last == "Home now uses voyage/stub-64."


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"space": "nowhere"}, "no space named nowhere"),
        ({"space": "home"}, "--provider and --model"),
        ({"space": "home", "provider": "voyage", "model": "stub-64"}, "refused the API key"),
        ({"space": "home", "provider": "local", "model": "all-MiniLM-L6-v2"}, "already"),
        ({"space": "home", "cancel": True}, "No move to another embedding model"),
        ({"space": "home", "resume": True}, "never"),
    ],
)
def test_command_says_what_is_wrong(
    space: Space, remote_models: StubModel, options: dict[str, str], said: str
) -> None:
    remote_models.script_embeddings("401")

    with pytest.raises(CommandError, match=said):
        call_command("switch_embedder", **options)
