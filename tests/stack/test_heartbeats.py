"""Worker and beat as real processes: they say that they are alive, do what nobody was told of, and
leave nothing."""

import os
import time
from pathlib import Path

import pytest
from django.utils import timezone

from accounts.models import Space
from assessor.models import Assessment
from foundation.database.leases import REQUEUE_AFTER
from memory.jobs.workers import BEAT
from memory.models import WorkerHeartbeat
from tests.processes import Processes, wait_until
from tests.stack.test_outbox import assert_each_assessed_once, sessions_of, unfinished

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


def test_a_worker_and_beat_report_do_what_waits_and_leave_nothing(
    processes: Processes, space: Space, tmp_path: Path
) -> None:
    WorkerHeartbeat.objects.all().delete()
    now, begun = timezone.now(), time.time()
    Assessment.objects.create(
        space=space,
        user_message="My name is Mara",
        due_at=now,
        enqueued_at=now - REQUEUE_AFTER,
    )

    worker = processes.worker(PGAPPNAME="ebb-worker")
    processes.beat()

    def names() -> set[str]:
        return set(WorkerHeartbeat.objects.values_list("queue", flat=True))

    wait_until(lambda: names() == {"ebb", BEAT}, what="the heartbeat of worker and beat")
    signs = [tmp_path / "run" / f"{name}.alive" for name in ("worker", "beat")]
    wait_until(lambda: all(sign.exists() for sign in signs), what="the signs of life")
    assert all(sign.stat().st_mtime >= int(begun) for sign in signs)

    wait_until(lambda: unfinished() == 0, what="the end of the assessment")
    assert_each_assessed_once(space, ["My name is Mara"])

    assert sessions_of("ebb-worker") > 0
    worker.stop()
    wait_until(lambda: sessions_of("ebb-worker") == 0, what="the end of the worker's sessions")
    with pytest.raises(ProcessLookupError):
        os.kill(worker.pid, 0)
