"""The outbox after a failure: pauses, parking, picking up again, and the task. Nothing is lost."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from accounts.models import Space
from assessor import tasks
from assessor.assessing import Exchange
from assessor.errors import AssessmentError
from assessor.models import MAX_ATTEMPTS, Assessment, State
from assessor.outbox import services, spans
from foundation.database.connections import in_thread
from foundation.database.leases import REQUEUE_AFTER
from foundation.errors import Conflict
from memory.models import Memory, PolicyVersion
from memory.models.reasons import Reason, in_words
from memory.policy import PolicyDocument
from tests.assessor.outbox import (
    BY_MODEL,
    EXCHANGE,
    NOW,
    SECOND,
    again,
    assessment_result,
    claim,
    claimed,
    queued,
    reschedule,
)
from tests.memory.writing import set_policy
from tests.processes import PATIENCE
from tests.stub_model import StubModel

# --- Failing --------------------------------------------------------------------------------


def test_the_pause_doubles_up_to_the_longest(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "LONGEST_PAUSE", timedelta(minutes=5))  # else out of reach
    pauses = []
    for attempts in range(1, MAX_ATTEMPTS):
        row = claimed(space)
        Assessment.objects.filter(pk=row.pk).update(attempts=attempts)
        row.attempts = attempts
        pauses.append((reschedule(row).due_at - NOW).total_seconds())
    assert pauses == [5, 10, 20, 40, 80, 160, 300]


@pytest.mark.parametrize(("jitter", "pause"), [(0.0, 5.0), (0.5, 3.75), (1.0, 2.5)])
def test_jitter_shortens_the_pause_by_up_to_half(space: Space, jitter: float, pause: float) -> None:
    assert reschedule(claimed(space), jitter=jitter).due_at == NOW + timedelta(seconds=pause)


@pytest.mark.parametrize(
    ("retry_after", "pause"), [(60.0, 60.0), (1.0, 5.0), (None, 5.0), (1e300, 86_400.0)]
)
def test_retry_after_is_honoured(space: Space, retry_after: float | None, pause: float) -> None:
    row = reschedule(claimed(space), retry_after=retry_after, jitter=0.0)
    assert row.due_at == NOW + timedelta(seconds=pause)


def test_what_was_put_off_comes_back_when_it_is_due(space: Space) -> None:
    row = reschedule(claimed(space))
    assert (row.state, row.error, row.leased_until) == (State.RETRYING, "The model is away.", None)
    assert claim(row, row.due_at - SECOND) is None
    second = claim(row, row.due_at)
    assert second is not None
    assert (second.attempts, second.error) == (2, "")


def assert_parked_with_its_exchange(row: Assessment) -> None:
    assert (row.state, row.finished_at, row.leased_until) == (State.FAILED, NOW, None)
    assert row.error == "The model is away."
    assert (row.user_message, row.assistant_response) == (
        EXCHANGE.user_message,
        EXCHANGE.assistant_response,
    )
    assert claim(row, NOW + timedelta(days=1)) is None


def test_a_permanent_error_parks_at_once(space: Space) -> None:
    assert_parked_with_its_exchange(reschedule(claimed(space), permanent=True))


def test_the_eighth_attempt_is_the_last(space: Space) -> None:
    row = queued(space)
    now = NOW - timedelta(hours=2)
    Assessment.objects.filter(pk=row.pk).update(due_at=now)
    for attempt in range(1, 8):
        taken = claim(row, now)
        assert taken is not None
        waiting = reschedule(taken, now=now)
        assert (waiting.state, waiting.attempts) == (State.RETRYING, attempt)
        now = waiting.due_at
    taken = claim(row, now)
    assert taken is not None
    assert_parked_with_its_exchange(reschedule(taken))


def test_an_error_that_cannot_be_stored_as_it_is_parks_all_the_same(space: Space) -> None:
    row = claimed(space)
    error = AssessmentError("It said \x00 and \ud83d.", permanent=True)
    services.reschedule(assessment=row, error=error, now=NOW, jitter=0)
    assert again(row).error == "It said \ufffd and \ufffd."


def test_retry_queues_a_parked_exchange_anew(space: Space, other_space: Space) -> None:
    row = reschedule(claimed(space), permanent=True)
    later = NOW + timedelta(hours=1)
    with pytest.raises(Conflict):
        services.retry(space=other_space, assessment_id=row.pk, now=later)
    services.retry(space=space, assessment_id=row.pk, now=later)
    queued = again(row)
    assert (queued.state, queued.attempts, queued.due_at) == (State.QUEUED, 0, later)
    assert (queued.error, queued.finished_at) == ("", None)
    with pytest.raises(Conflict):
        services.retry(space=space, assessment_id=row.pk, now=later)


def test_who_stalled_ends_nothing_that_was_queued_anew_since(space: Space) -> None:
    stalled = claimed(space)
    assert stalled.leased_until is not None
    second = claim(stalled, stalled.leased_until + SECOND)
    assert second is not None
    reschedule(second, permanent=True)
    services.retry(space=space, assessment_id=second.pk, now=NOW)
    third = claim(second)
    assert third is not None
    assert (third.attempts, third.leased_until) == (stalled.attempts, NOW + services.LEASE)

    services.renew(assessment=stalled, now=NOW + SECOND)
    reschedule(stalled, permanent=True)
    spans.wait_for_span(assessment=stalled, idle=SECOND, now=NOW)
    assert services.finish(assessment=stalled, result=assessment_result(), now=NOW) == []
    assert again(third).state == State.RUNNING
    assert again(third).leased_until == third.leased_until
    assert services.finish(assessment=third, result=assessment_result(), now=NOW)


@pytest.mark.django_db(transaction=True)
def test_a_lease_is_renewed_again_when_the_database_was_away(
    space: Space, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(services, "LEASE", timedelta(milliseconds=60))
    held = claimed(space, BY_MODEL)

    def rename(before: str, after: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {before} RENAME TO {after}")

    async def until(holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not await in_thread(holds):
                await asyncio.sleep(0.01)

    async def assess() -> None:
        await in_thread(rename, "assessor_assessment", "away")
        try:
            await until(lambda: "was not renewed" in caplog.text)
        finally:
            await in_thread(rename, "away", "assessor_assessment")
        before = (await in_thread(again, held)).leased_until
        await until(lambda: again(held).leased_until != before)

    asyncio.run(tasks._renewing(held, assess()))


# --- Telling workers ------------------------------------------------------------------------


@pytest.fixture
def picked(space: Space) -> Callable[[timedelta], list[UUID]]:
    """Picks up at NOW + so much; what was told, read back from the rows."""

    def requeue_due(after: timedelta) -> list[UUID]:
        now = NOW + after
        number = services.requeue_due(now=now)
        rows = list(Assessment.objects.filter(enqueued_at=now).values_list("pk", flat=True))
        assert number == len(rows)
        return rows

    return requeue_due


Picked = Callable[[timedelta], list[UUID]]


@pytest.mark.usefixtures("queue")
class TestPickUp:
    """`requeue_due` against the real queue, told by what it notes in the rows."""

    def test_tells_again_only_after_a_while(self, space: Space, picked: Picked) -> None:
        row = queued(space)
        assert picked(REQUEUE_AFTER - SECOND) == []
        assert picked(REQUEUE_AFTER) == [row.pk]
        assert picked(REQUEUE_AFTER + SECOND) == []
        assert picked(2 * REQUEUE_AFTER) == [row.pk]

    def test_tells_of_a_reply_that_never_came(self, space: Space, picked: Picked) -> None:
        row = queued(space, due_at=NOW + timedelta(minutes=10))
        assert picked(timedelta(minutes=9)) == []
        assert picked(timedelta(minutes=10)) == [row.pk]

    def test_tells_of_what_was_put_off_the_moment_it_is_due(
        self, space: Space, picked: Picked
    ) -> None:
        row = reschedule(claimed(space))
        assert picked(4 * SECOND) == []
        assert picked(5 * SECOND) == [row.pk]

    def test_tells_of_what_a_dead_worker_left(self, space: Space, picked: Picked) -> None:
        row = claimed(space)
        assert picked(services.LEASE) == []
        assert picked(services.LEASE + SECOND) == [row.pk]

    def test_leaves_what_is_finished(self, space: Space, picked: Picked) -> None:
        services.finish(assessment=claimed(space), result=assessment_result(), now=NOW)
        services.finish(assessment=claimed(space), result=assessment_result(0.0), now=NOW)
        reschedule(claimed(space), permanent=True)
        assert picked(timedelta(days=1)) == []

    def test_parks_what_each_worker_died_of(self, space: Space, picked: Picked) -> None:
        row, now = queued(space), NOW
        for attempt in range(1, MAX_ATTEMPTS + 1):
            taken = claim(row, now)
            assert taken is not None
            assert taken.attempts == attempt
            now += services.LEASE + SECOND
        assert claim(row, now) is None
        assert picked(now - NOW) == []
        assert again(row).state == State.FAILED
        assert "stopped before finishing" in again(row).error


# --- The task -------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
class TestTask:
    """The task as a worker runs it, in this process."""

    @pytest.fixture(autouse=True)
    def _model(self, queue: str, stub_model: StubModel, settings: Settings) -> None:
        settings.OPENAI_BASE_URL = stub_model.base_url

    def run(self, space: Space, message: str = "I like pizza", provider: str = "") -> Assessment:
        exchange = Exchange(message, "Noted.", provider=provider)
        now = datetime.now(UTC)
        row = services.queue_assessment(space=space, exchange=exchange, now=now)
        tasks.assess(space.pk, str(row.pk))
        return again(row)

    def test_assesses_and_remembers_once(self, space: Space, stub_model: StubModel) -> None:
        row = self.run(space)
        tasks.assess(space.pk, str(row.pk))
        assert (row.state, row.attempts, row.provider) == (State.DONE, 1, "llm")
        assert len(stub_model.requests) == 1
        assert Memory.objects.in_space(space).count() == 1

    def test_what_waits_is_not_assessed_once_learning_is_turned_off(
        self, space: Space, stub_model: StubModel
    ) -> None:
        said = Exchange("I like pizza", source_conversation="c1")
        waiting = services.queue_assessment(space=space, exchange=said, now=NOW)
        document = PolicyDocument.model_validate({"assessment": {"enabled": False}})
        PolicyVersion.objects.create(space=space, version=2, document=document.model_dump())
        tasks.assess(space.pk, str(waiting.pk))
        row = again(waiting)
        assert (row.state, row.reasoning, row.importance) == (
            State.IGNORED,
            Reason("learning_off"),
            None,
        )
        assert in_words(row.reasoning) == row.reasoning
        assert not stub_model.requests
        # What a program hands over by itself is no conversation that is listened to.
        assert self.run(space).state == State.DONE

    def test_an_exchange_may_ask_for_the_built_in_assessor(
        self, space: Space, stub_model: StubModel
    ) -> None:
        row = self.run(space, "I'm allergic to penicillin", provider="local")
        assert (row.state, row.provider, row.model) == (State.DONE, "local", "built-in")
        assert stub_model.requests == []

    @pytest.mark.parametrize(
        ("step", "state", "words"),
        [
            ("500", State.RETRYING, "returned an error"),
            ("nonsense", State.RETRYING, "does not fit"),
            ("garbage", State.RETRYING, "could not be read"),
            ("close:1", State.RETRYING, "was cut off"),
            ("429:60", State.RETRYING, "rate limit"),
            ("401", State.FAILED, "refused the API key"),
            ("404", State.FAILED, "does not know this model"),
        ],
    )
    def test_a_failing_model_puts_off_or_parks(
        self, space: Space, stub_model: StubModel, step: str, state: str, words: str
    ) -> None:
        set_policy(space, assessment={"fallback": False})
        stub_model.script(step, step)
        row = self.run(space)
        assert (row.state, row.memory) == (state, None)
        assert words in row.error
        assert not Memory.objects.exists()

    def test_a_failed_exchange_names_the_model_that_was_asked(
        self, space: Space, stub_model: StubModel, settings: Settings
    ) -> None:
        """Seed 001, "Performance Targets": "Success rate: > 95%", counted for each model."""
        set_policy(space, assessment={"fallback": False})
        stub_model.script("401")
        row = self.run(space)
        assert (row.state, row.model) == (State.FAILED, settings.EBB_ASSESSOR_MODEL)

    def test_what_earlier_tries_came_to_is_kept_without_secrets(
        self, space: Space, stub_model: StubModel
    ) -> None:
        stub_model.script("500", "reply:My password is hunter2, \x00 so no")
        row = self.run(space)
        Assessment.objects.filter(pk=row.pk).update(due_at=NOW)
        tasks.assess(space.pk, str(row.pk))
        Assessment.objects.filter(pk=row.pk).update(due_at=NOW)
        tasks.assess(space.pk, str(row.pk))
        assessed = again(row)
        assert (assessed.state, assessed.attempts, assessed.error) == (State.DONE, 3, "")
        first, second = assessed.failed_tries
        assert (first["answer"], "returned an error" in first["error"]) == ("", True)
        assert second["answer"] == "My password is [password], \ufffd so no"
        assert "does not fit" in second["error"]
        assert first["at"] < second["at"]

    def test_a_slow_model_is_given_up_in_time(self, space: Space, stub_model: StubModel) -> None:
        document = PolicyDocument.model_validate({"assessment": {"timeout_seconds": 0.3}})
        PolicyVersion.objects.create(
            space=space, version=2, document=document.model_dump(mode="json")
        )
        stub_model.script("timeout")
        assert "did not answer in time" in self.run(space).error

    def test_an_answer_around_the_json_that_cannot_be_stored_is_kept_readable(
        self, space: Space, stub_model: StubModel
    ) -> None:
        stub_model.script(
            'reply:\x00 \ud83d {"facts": [{"importance": 0.6, "type": "fact",'
            ' "text": "I like pizza"}]}'
        )
        row = self.run(space)
        assert row.state == State.DONE
        assert row.raw_answer.startswith("\ufffd \ufffd {")
