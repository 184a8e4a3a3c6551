"""Worker and beat, as real processes, report that they are alive."""

import pytest

from memory.jobs.workers import BEAT
from memory.models import WorkerHeartbeat
from tests.processes import Processes, wait_until

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


def test_a_worker_and_beat_report(processes: Processes) -> None:
    WorkerHeartbeat.objects.all().delete()

    processes.worker()
    processes.beat()

    def names() -> set[str]:
        return set(WorkerHeartbeat.objects.values_list("queue", flat=True))

    wait_until(lambda: names() == {"ebb", BEAT}, what="the heartbeat of worker and beat")
