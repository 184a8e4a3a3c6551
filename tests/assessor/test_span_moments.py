"""Spans at their edges: taken at the very moment, taken in another order, full, said anew in part,
answered anew."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction

from accounts.models import Space
from assessor.models import Assessment, State
from assessor.outbox import services
from assessor.outbox.retractions import retract
from assessor.outbox.spans import LONGEST_SPAN, LONGEST_TEXT, wait_for_span
from assessor.saving.exchanges import joined, rows_of, span_of
from foundation.actors import SYSTEM
from memory.models import ModelChoice, ModelConnection, Purpose
from tests.assessor.test_spans import COOKING, IDLE, NOW, arrived, claimed, queued
from tests.locks import somebody_waits
from tests.processes import wait_until

MINUTE = timedelta(minutes=1)


@pytest.mark.django_db(transaction=True)
def test_who_comes_while_a_worker_takes_the_span_is_not_ended_with_it(
    space: Space, queue: str
) -> None:
    """The worker has not read it: it would be called assessed and never have been."""
    # A connected model would assess it: so it waits for a worker.
    connection_ = ModelConnection.objects.create(name="m", base_url="http://127.0.0.1:9/v1")
    ModelChoice.objects.create(purpose=Purpose.ASSESS, connection=connection_, model="m")
    first = arrived(space, COOKING[0])
    late = claimed(queued(space, COOKING[1], 1), NOW + IDLE - MINUTE)

    def come() -> None:
        # By its clock the span is still open.
        wait_for_span(assessment=late, idle=IDLE, now=NOW + IDLE - MINUTE)
        connection.close()

    coming = threading.Thread(target=come)
    with transaction.atomic():
        claimed(first, NOW + IDLE)
        coming.start()
        wait_until(somebody_waits)
    coming.join(30)
    first.refresh_from_db()
    late.refresh_from_db()
    assert (first.state, late.state, late.part_of) == (State.RUNNING, State.QUEUED, None)


@pytest.mark.django_db
class TestSpan:
    def test_what_was_taken_first_is_not_what_was_said_first(self, space: Space) -> None:
        later = arrived(space, COOKING[1], minute=1)
        earlier = claimed(queued(space, COOKING[0], minute=0), NOW + MINUTE)
        wait_for_span(assessment=earlier, idle=IDLE, now=NOW + MINUTE)
        assert [row.pk for row in rows_of(later)] == [earlier.pk, later.pk]
        said = joined(span_of(later)).user_message
        assert said == f"{COOKING[0][0]}.\n{COOKING[1][0]}."

    def test_a_conversation_that_never_leaves_its_topic_is_assessed_all_the_same(
        self, space: Space
    ) -> None:
        rows = [arrived(space, COOKING[0], minute) for minute in range(LONGEST_SPAN + 1)]
        assert [row.part_of for row in rows[1:-1]] == [rows[0]] * (LONGEST_SPAN - 1)
        assert (rows[-1].part_of, rows[-1].state) == (None, State.QUEUED)
        now = NOW + LONGEST_SPAN * MINUTE
        assert list(Assessment.objects.claimable(now)) == [rows[0]]

    def test_a_span_stays_short_enough_for_a_model(self, space: Space) -> None:
        said, reply = COOKING[0]
        half = (said, reply.ljust(LONGEST_TEXT // 2 - len(said), "."))
        rows = [arrived(space, half, minute) for minute in range(3)]
        assert [row.part_of for row in rows] == [None, rows[0], None]

    def test_what_waited_with_something_said_anew_goes_on_by_itself(self, space: Space) -> None:
        later = arrived(space, COOKING[1], minute=1)
        earlier = arrived(space, COOKING[0], minute=0)
        assert earlier.part_of == later
        retract(
            space=space, assessment_ids=[later.pk], written_ids=[], actor=SYSTEM, now=NOW + MINUTE
        )
        assert list(Assessment.objects.claimable(NOW + MINUTE)) == [earlier]

    def test_what_is_said_anew_before_a_worker_came_is_masked(self, space: Space) -> None:
        row = queued(space, ("My password is Xk7-salted-91", ""))
        retract(space=space, assessment_ids=[row.pk], written_ids=[], actor=SYSTEM, now=NOW)
        row.refresh_from_db()
        assert (row.state, row.user_message) == (State.IGNORED, "My password is [password]")

    def test_a_secret_in_a_part_that_was_answered_anew_is_masked(self, space: Space) -> None:
        first, second = (arrived(space, said, minute) for minute, said in enumerate(COOKING))
        services.complete_exchange(
            space=space,
            assessment_id=second.pk,
            assistant_response="Noted: your password is Xk7-salted-91",
            now=NOW + MINUTE,
        )
        assessed = joined(span_of(claimed(first, NOW + 2 * IDLE)))
        second.refresh_from_db()
        assert "Xk7" not in assessed.assistant_response + second.assistant_response
        assert "[password]" in second.assistant_response
