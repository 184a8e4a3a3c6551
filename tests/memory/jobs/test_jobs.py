"""Long work: one worker at a time, kept steps, cancelled, resumed, taken up after a death."""

from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.db import transaction

from accounts.models import Space
from foundation.errors import Conflict, NotFound
from memory.jobs import services as jobs
from memory.jobs.kinds import WORK
from memory.models import Job, JobState
from memory.models.jobs import MAX_STILL
from memory.tasks import JOBS, work, working
from tests.memory.writing import ALICE, NOW
from tests.processes import queue

__all__ = ["queue"]


def begin(space: Space, kind: str = "count") -> Job:
    return jobs.start_job(space=space, kind=kind, parameters={}, actor=ALICE, now=NOW, total=10)


def claimed(job: Job, *, after: float = 0) -> Job | None:
    moment = NOW + timedelta(seconds=after)
    return jobs.claim_job(space_id=job.space_id, job_id=job.pk, now=moment)


def held(job: Job, *, after: float = 0) -> Job:
    taken = claimed(job, after=after)
    assert taken is not None
    return taken


@transaction.atomic
def rename_and_advance(job: Job) -> None:
    Space.objects.filter(pk=job.space_id).update(name="half done")
    jobs.advance(job=job, done=5, now=NOW + timedelta(seconds=70))


def test_one_worker_has_a_job_and_its_steps_are_kept(space: Space) -> None:
    job = begin(space)
    mine = held(job)

    assert claimed(job) is None
    jobs.advance(job=mine, done=4, now=NOW, result={"at": "d"})
    job.refresh_from_db()
    assert (job.state, job.done, job.result) == (JobState.RUNNING, 4, {"at": "d"})
    assert job.left(NOW + timedelta(seconds=8)) == timedelta(seconds=12)
    assert jobs.finish(job=mine, now=NOW, result={"all": True})
    job.refresh_from_db()
    assert (job.state, job.ended_at, job.result) == (JobState.DONE, NOW, {"all": True})


def test_jobs_use_at_most_half_of_a_workers_connections(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(WORK, "count", lambda job: {})
    job = begin(space)

    with ExitStack() as others:
        for _ in range(JOBS):
            others.enter_context(working)
        work(space.pk, str(job.pk))
        job.refresh_from_db()
        assert job.state == JobState.QUEUED

    work(space.pk, str(job.pk))
    job.refresh_from_db()
    assert job.state == JobState.DONE


def test_a_job_is_taken_up_again_when_its_worker_is_gone(space: Space) -> None:
    job = begin(space)
    first = held(job)
    jobs.advance(job=first, done=4, now=NOW)
    second = held(job, after=61)

    assert second.done == 4
    assert second.left(NOW + timedelta(seconds=70)) is None
    # The first was only slow: it may write nothing more, and what it wrote beside is taken back.
    with pytest.raises(jobs.JobStopped):
        rename_and_advance(first)
    space.refresh_from_db()
    assert space.name == "Home"
    assert not jobs.finish(job=first, now=NOW, result={})
    assert not jobs.fail(job=first, error="late", now=NOW)
    jobs.advance(job=second, done=10, now=NOW + timedelta(seconds=71))


def test_a_running_job_stops_at_its_next_step_and_goes_on_when_resumed(space: Space) -> None:
    job = begin(space)
    mine = held(job)
    jobs.advance(job=mine, done=4, now=NOW)

    assert jobs.cancel(space=space, job_id=job.pk, now=NOW).state == JobState.RUNNING
    with pytest.raises(jobs.JobStopped):
        jobs.advance(job=mine, done=5, now=NOW)
    assert jobs.stop(job=mine, now=NOW)
    job.refresh_from_db()
    assert (job.state, job.done) == (JobState.CANCELLED, 4)
    assert jobs.resume(space=space, job_id=job.pk, now=NOW).state == JobState.QUEUED
    with pytest.raises(Conflict):
        jobs.resume(space=space, job_id=job.pk, now=NOW)
    jobs.advance(job=held(job), done=5, now=NOW)


def test_a_waiting_or_abandoned_job_is_cancelled_at_once(space: Space) -> None:
    waiting = begin(space)
    abandoned = begin(space, kind="other")
    held(abandoned)
    later = NOW + timedelta(seconds=61)

    assert jobs.cancel(space=space, job_id=waiting.pk, now=NOW).state == JobState.CANCELLED
    assert jobs.cancel(space=space, job_id=abandoned.pk, now=later).state == JobState.CANCELLED
    assert claimed(waiting) is None


def test_a_space_does_one_work_of_a_kind_at_once(space: Space, other_space: Space) -> None:
    first = begin(space)
    begin(other_space)

    with pytest.raises(Conflict):
        begin(space)
    jobs.cancel(space=space, job_id=first.pk, now=NOW)
    begin(space)
    with pytest.raises(Conflict):
        jobs.resume(space=space, job_id=first.pk, now=NOW)
    with pytest.raises(NotFound):
        jobs.cancel(space=other_space, job_id=first.pk, now=NOW)


def test_a_job_that_nobody_gets_further_with_is_given_up(space: Space) -> None:
    job = begin(space)
    moment = 0
    for _ in range(MAX_STILL):
        held(job, after=moment)
        moment += 61
    assert claimed(job, after=moment) is None

    jobs.requeue_due(now=NOW + timedelta(seconds=moment))

    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert job.error


def test_progress_keeps_a_job_alive_through_any_number_of_workers(space: Space) -> None:
    job = begin(space)
    for turn in range(2 * MAX_STILL):
        moment = 61 * turn
        jobs.advance(job=held(job, after=moment), done=turn, now=NOW + timedelta(seconds=moment))


@pytest.mark.usefixtures("queue")
def test_beat_tells_again_of_what_waits(space: Space) -> None:
    begin(space)

    assert jobs.requeue_due(now=NOW + timedelta(seconds=10)) == 0
    assert jobs.requeue_due(now=NOW + timedelta(seconds=30)) == 1
    assert jobs.requeue_due(now=NOW + timedelta(seconds=31)) == 0
