"""The outbox with real processes: what was said is assessed once, whoever dies meanwhile."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import httpx2
import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Space
from assessor.models import Assessment, State
from assessor.outbox import services
from foundation.actors import SYSTEM
from foundation.database.leases import REQUEUE_AFTER
from memory.models import Memory
from memory.policies.services import change_policy
from tests.conftest import MakeKey
from tests.processes import SMALL, Processes, wait_until
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

EXCHANGES = 500
AT_ONCE = 100  # half of a worker's threads
CONNECTIONS = 10 + 3  # EBB_DB_POOL, and the queue's own
# Every fifth is small talk, which is assessed and not kept.
SAID = [
    "hello" if number % 5 == 0 else f"My locker at the pool is number {number}"
    for number in range(EXCHANGES)
]


def post_all(url: str, secret: str, said: list[str]) -> None:
    """Posts each exchange, four at a time, and sees each accepted."""
    with httpx2.Client(
        base_url=f"{url}/api/v1/", headers={"Authorization": f"Bearer {secret}"}, timeout=90
    ) as client:

        def post(message: str) -> int:
            body = {"user_message": message, "assistant_response": "Noted."}
            return client.post("assessments", json=body).status_code

        with ThreadPoolExecutor(4) as threads:
            assert Counter(threads.map(post, said)) == {202: len(said)}


def sessions_of(name: str) -> int:
    """Return the number of database sessions of a process that was started with this PGAPPNAME."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", [name])
        [number] = cursor.fetchone()
    return int(number)


def unfinished() -> int:
    return Assessment.objects.exclude(state__in=["done", "ignored"]).count()


def assert_each_assessed_once(space: Space, said: list[str]) -> None:
    """Each exchange has ended, and what is remembered is exactly what they were worth."""
    rows = list(Assessment.objects.in_space(space))
    assert Counter(row.user_message for row in rows) == Counter(said)
    assert {row.state for row in rows} <= {State.DONE, State.IGNORED}
    taught = [row.memories for row in rows if row.state == State.DONE]
    assert all(taught)
    kept = [memory.pk for memories in taught for memory in memories]
    assert set(Memory.objects.in_space(space).values_list("pk", flat=True)) == set(kept)
    assert len(set(kept)) == len(kept) > 0
    assert not any(row.memories for row in rows if row.state == State.IGNORED)


@pytest.mark.long
def test_what_came_while_no_worker_ran_is_assessed_once(
    processes: Processes, space: Space, key: MakeKey, stub_model: StubModel
) -> None:
    model = {"OPENAI_BASE_URL": stub_model.base_url}  # which the worker lacks
    post_all(processes.web(**model).url, key(), SAID)
    assert unfinished() == EXCHANGES
    processes.worker()
    wait_until(lambda: unfinished() == 0, within=480, what="the end of all assessments")
    assert_each_assessed_once(space, SAID)
    assert set(Assessment.objects.values_list("attempts", flat=True)) == {1}


@pytest.mark.long
def test_a_worker_asks_about_a_hundred_exchanges_at_once(
    processes: Processes, space: Space, key: MakeKey, stub_model: StubModel
) -> None:
    slow = {"assessment": {"timeout_seconds": 120}}
    change_policy(space=space, changes=slow, actor=SYSTEM, now=timezone.now())
    model = {"OPENAI_BASE_URL": stub_model.base_url, "EBB_CHAT_MODEL": "stub"}
    post_all(processes.web(**model).url, key(), [f"I like dish {n}" for n in range(AT_ONCE + 5)])
    stub_model.script(*["timeout"] * AT_ONCE)
    worker = processes.worker(**model, PGAPPNAME="ebb-worker")

    stub_model.until_asked(AT_ONCE)

    assert Assessment.objects.filter(state=State.RUNNING).count() == AT_ONCE
    # None of them keeps a connection.
    assert sessions_of("ebb-worker") <= CONNECTIONS
    worker.kill()


@pytest.mark.long
def test_a_worker_killed_in_the_middle_loses_and_doubles_nothing(
    processes: Processes, space: Space, key: MakeKey, stub_model: StubModel
) -> None:
    said = [f"I like dish number {number}" for number in range(40)]
    model = {"OPENAI_BASE_URL": stub_model.base_url, "EBB_CHAT_MODEL": "stub"}
    post_all(processes.web(**model).url, key(), said)
    # The four threads that a space gets are with the model when it is killed, and cannot be done.
    stub_model.script(*["ok"] * 10, *["timeout"] * 4)
    worker = processes.worker(**model, **SMALL)
    wait_until(
        lambda: len(stub_model.requests) == 14 and stub_model.control.active_replies == 4,
        what="four questions without an answer",
    )
    worker.kill()
    held = Assessment.objects.filter(state=State.RUNNING)
    # However slow this machine is, the leases last until the test says that they have expired.
    held.update(leased_until=timezone.now() + timedelta(hours=1))
    states = Counter(Assessment.objects.values_list("state", flat=True))
    assert set(states) == {State.DONE, State.RUNNING, State.QUEUED}
    assert (states[State.RUNNING], states.total()) == (4, len(said))
    stub_model.until_left()
    # What beat would do, told that the queue was silent for long.
    services.requeue_due(now=timezone.now() + REQUEUE_AFTER)
    processes.worker(**model)
    wait_until(lambda: unfinished() == 4, what="the end of all but the four")
    assert held.count() == 4
    # Half a minute passes for these rows; the test below waits for it.
    past = timezone.now() - services.LEASE
    held.update(leased_until=past, enqueued_at=past)
    # Tasks that are left over may claim some of them first.
    assert services.requeue_due(now=timezone.now()) <= 4
    wait_until(lambda: unfinished() == 0, what="the end of the four")
    assert_each_assessed_once(space, said)
    attempts = Counter(Assessment.objects.values_list("attempts", flat=True))
    assert attempts == {1: 36, 2: 4}


@pytest.mark.long
def test_beat_brings_back_what_a_killed_worker_held(
    processes: Processes, space: Space, key: MakeKey, stub_model: StubModel
) -> None:
    """The test changes no row: the lease of 30 seconds expires, and beat enqueues the rows."""
    said = [f"I like dish number {number}" for number in range(30)]
    model = {"OPENAI_BASE_URL": stub_model.base_url, "EBB_CHAT_MODEL": "stub"}
    post_all(processes.web(**model).url, key(), said)
    stub_model.script(*["ok"] * 5, *["timeout"] * 4)
    worker = processes.worker(**model, **SMALL)
    wait_until(lambda: len(stub_model.requests) == 9, what="the middle")
    worker.kill()
    processes.beat(**model)
    processes.worker(**model)
    wait_until(lambda: unfinished() == 0, what="the end of all assessments")
    assert_each_assessed_once(space, said)


@pytest.mark.long
def test_a_space_whose_model_hangs_leaves_places_for_others(
    processes: Processes, space: Space, other_space: Space, key: MakeKey, stub_model: StubModel
) -> None:
    for one, rule in ((space, {"timeout_seconds": 300}), (other_space, {"provider": "local"})):
        change_policy(space=one, changes={"assessment": rule}, actor=SYSTEM, now=timezone.now())
    model = {"OPENAI_BASE_URL": stub_model.base_url, "EBB_CHAT_MODEL": "stub"}
    web = processes.web(**model)
    post_all(web.url, key(), [f"I like dish number {number}" for number in range(6)])
    stub_model.script(*["timeout"] * 4)
    processes.worker(**model, **SMALL)
    stub_model.until_asked(4)

    post_all(web.url, key(space=other_space), ["My name is Mara", "I like tea"])

    others = Assessment.objects.in_space(other_space)
    wait_until(lambda: set(others.values_list("state", flat=True)) <= {"done", "ignored"})
    hanging = Assessment.objects.in_space(space)
    assert Counter(hanging.values_list("state", flat=True)) == {State.RUNNING: 4, State.QUEUED: 2}
    assert len(stub_model.requests) == 4


def test_a_broker_that_is_away_loses_nothing(
    processes: Processes, space: Space, key: MakeKey, stub_model: StubModel
) -> None:
    said = ["I'm allergic to penicillin", "My name is Mara"]
    model = {"OPENAI_BASE_URL": stub_model.base_url}  # which the worker lacks
    web = processes.web(**model, CELERY_BROKER_URL="amqp://guest@127.0.0.1:1//")
    post_all(web.url, key(), said)
    wait_until(lambda: web.has_said("The queue does not answer"), what="the warning")
    assert unfinished() == 2
    processes.worker()
    assert unfinished() == 2
    assert services.requeue_due(now=timezone.now() + REQUEUE_AFTER) == 2
    wait_until(lambda: unfinished() == 0, what="the end of both assessments")
    assert_each_assessed_once(space, said)
