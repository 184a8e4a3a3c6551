"""Everything breaks at once, at random: no exchange is lost, and none becomes two memories."""

import random
from collections import Counter
from functools import partial

import psutil
import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from accounts.models import Space
from assessor.models import Assessment, State
from foundation.actors import SYSTEM
from foundation.database.leases import REQUEUE_AFTER
from memory.models import Memory
from memory.policies.services import change_policy
from operations.postgres.embedded import EmbeddedPostgres
from tests.conftest import MakeKey
from tests.processes import Processes, wait_until
from tests.stack.test_outbox import post_all
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

EXCHANGES = 1000
# A quarter of the answers are none: limited, broken, late, cut off, not JSON.
FAULTS = {
    "ok": 75, "429:1": 5, "500": 4, "503:2": 2,
    "timeout": 3, "half": 4, "nonsense": 4, "close:2": 3,
}  # fmt: skip


def ended() -> int:
    return Assessment.objects.filter(state__in=["done", "ignored", "failed"]).count()


def most_ended(share: float) -> bool:
    return ended() > share * EXCHANGES


def all_ended() -> bool:
    """Returns whether each exchange has ended. Brings late attempts forward: pauses double."""
    now = timezone.now()
    late = Assessment.objects.filter(state="retrying", due_at__gt=now)
    late.update(due_at=now, enqueued_at=now - REQUEUE_AFTER)
    return ended() == EXCHANGES


def wait_for_all() -> None:
    """Waits until each exchange has ended; says what became of those that have not."""
    try:
        wait_until(all_ended, within=480, what="the end of all")
    except pytest.fail.Exception:
        unended = Assessment.objects.filter(state__in=["queued", "running", "retrying"])
        figures = ("state", "attempts", "due_at", "enqueued_at", "leased_until", "failed_tries")
        pytest.fail(f"{timezone.now()}: not ended: {list(unended.values(*figures)[:5])}")


def crash_postgres() -> None:
    """kill -9, and a new start on what is on the disk: every session breaks."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's own; the stubs know less
    pid_file = settings.EBB_DATA_DIR / "postgres" / "postmaster.pid"
    postmaster = psutil.Process(int(pid_file.read_text().split()[0]))
    sessions = postmaster.children()
    postmaster.kill()
    psutil.wait_procs([postmaster, *sessions], timeout=30)
    EmbeddedPostgres(settings.EBB_DATA_DIR).start(give_up=lambda: False)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_each_of_a_thousand_exchanges_ends_once_whatever_breaks(
    processes: Processes, space: Space, key: MakeKey, stub_model: StubModel
) -> None:
    # The late attempts of an exchange would wait two minutes each for an answer that never comes.
    quick = {"assessment": {"timeout_seconds": 0.5, "max_wait_seconds": 2}}
    change_policy(space=space, changes=quick, actor=SYSTEM, now=timezone.now())
    chance = random.Random(20261122)
    stub_model.script(*chance.choices(list(FAULTS), list(FAULTS.values()), k=3 * EXCHANGES))
    said = [f"I like dish number {number}" for number in range(EXCHANGES)]
    model = {"OPENAI_BASE_URL": stub_model.base_url, "EBB_CHAT_MODEL": "stub"}
    post_all(processes.web(**model).url, key(), said)
    processes.beat(**model)
    worker = processes.worker(**model)
    for share, happens in ((0.2, "kill"), (0.4, "crash"), (0.6, "kill"), (0.8, "kill")):
        wait_until(partial(most_ended, share), within=240, what=f"{share:.0%} of them")
        if happens == "kill":
            worker.kill()
            worker = processes.worker(**model)
        else:
            crash_postgres()
    wait_for_all()

    rows = list(Assessment.objects.in_space(space))
    assert Counter(row.user_message for row in rows) == Counter(said)
    kept = [memory.pk for row in rows for memory in row.memories]
    assert len(set(kept)) == len(kept) > 0.9 * EXCHANGES
    assert set(Memory.objects.in_space(space).values_list("pk", flat=True)) == set(kept)
    parked = [row for row in rows if row.state == State.FAILED]
    assert all(row.error and row.user_message and not row.memories for row in parked)
