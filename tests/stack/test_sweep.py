"""The sweep of a large space outlives the worker that was at it."""

from datetime import timedelta

import psycopg
import pytest
from django.utils import timezone

from accounts.models import Space
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import JobState
from memory.policies.services import change_policy
from memory.retention.sweep_job import start_sweep
from tests.memory.sweeping import insert, live, removals
from tests.memory.writing import ALICE
from tests.processes import Processes, wait_until

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

_HOLD = "SELECT pg_advisory_lock(hashtextextended('ebb.sweep', %s))"
_WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


def test_next_worker_sweeps_what_a_killed_one_had_in_hand(
    processes: Processes, queue: str, space: Space
) -> None:
    now = timezone.now()
    for number in range(20):
        insert(space, number, importance=0.7 + number / 100, created_at=now - timedelta(days=9))
    change_policy(space=space, changes={"capacity": 5}, actor=ALICE, now=now)
    worker = processes.worker()
    with psycopg.connect(queue, autocommit=True) as somebody:
        somebody.execute(_HOLD, [space.pk])
        job = start_sweep(space=space, actor=ALICE, now=now)
        wait_until(lambda: somebody.execute(_WAITING).fetchone() == (1,), what="the first batch")
        worker.kill()
    job.refresh_from_db()
    assert (job.state, job.done, len(live(space))) == (JobState.RUNNING, 0, 20)

    later = timezone.now() + timedelta(minutes=1)
    next_worker = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=later)
    assert next_worker is not None
    work_at(next_worker)

    job.refresh_from_db()
    assert (job.state, job.done, job.total) == (JobState.DONE, 15, 15)
    assert live(space) == sorted(f"memory {number}" for number in range(15, 20))
    assert [rank for _, _, rank in removals(space)] == list(range(1, 16))
