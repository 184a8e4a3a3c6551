"""The outbox up to a result: queueing, claiming, finishing. Nothing is done twice."""

import threading
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox import services
from memory.models import Memory, PolicyVersion
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

# --- Queueing -------------------------------------------------------------------------------


def test_queueing_writes_the_whole_exchange(space: Space) -> None:
    exchange = Exchange(
        "I moved", "Where to?", "assistant", {"project": "x"}, "thread 7", "graded", "local"
    )
    row = again(queued(space, exchange))
    stored = Exchange(
        row.user_message,
        row.assistant_response,
        row.source_role,
        row.context,
        row.source_conversation,
        row.rubric,
        row.provider,
    )
    assert stored == exchange
    assert (row.state, row.attempts, row.due_at) == (State.QUEUED, 0, NOW)


def test_rollback_leaves_neither_row_nor_message_on_the_queue(
    space: Space, django_capture_on_commit_callbacks: Any
) -> None:
    @transaction.atomic
    def say() -> None:
        queued(space)
        raise IntegrityError("the rest of the transaction fails")

    with django_capture_on_commit_callbacks() as callbacks, pytest.raises(IntegrityError):
        say()
    assert not Assessment.objects.exists()
    assert callbacks == []


def test_a_worker_is_told_only_after_the_commit(
    space: Space, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        queued(space)
    assert len(callbacks) == 1


def test_what_is_due_later_is_told_later(
    space: Space, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        row = queued(space, due_at=NOW + timedelta(minutes=10))
    assert callbacks == []
    assert claim(row, NOW + timedelta(minutes=9)) is None
    assert claim(row, NOW + timedelta(minutes=10)) is not None


def test_the_same_idempotency_key_gives_the_first_assessment(
    space: Space, other_space: Space
) -> None:
    first = queued(space, idempotency_key="k")
    assert queued(space, Exchange("something else"), idempotency_key="k").pk == first.pk
    assert queued(other_space, idempotency_key="k").pk != first.pk
    assert Assessment.objects.in_space(space).count() == 1


def test_a_reply_releases_its_exchange(
    space: Space, other_space: Space, django_capture_on_commit_callbacks: Any
) -> None:
    row = queued(space, due_at=NOW + timedelta(minutes=10))
    later = NOW + 3 * SECOND
    with django_capture_on_commit_callbacks() as callbacks:
        for where in (other_space, space):
            services.complete_exchange(
                space=where, assessment_id=row.pk, assistant_response="Nice.", now=later
            )
    assert len(callbacks) == 1
    assert (again(row).assistant_response, again(row).due_at) == ("Nice.", later)


def test_a_reply_that_comes_after_the_assessing_changes_nothing(space: Space) -> None:
    row = claimed(space)
    services.complete_exchange(
        space=space, assessment_id=row.pk, assistant_response="Late.", now=NOW
    )
    assert again(row).assistant_response == EXCHANGE.assistant_response


# --- Claiming -------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_of_many_who_claim_at_once_one_gets_it(space: Space, queue: str) -> None:
    rows = [queued(space, BY_MODEL) for _ in range(10)]
    barrier = threading.Barrier(4)
    won: list[UUID] = []

    def race() -> None:
        for row in rows:
            barrier.wait(10)
            if claim(row) is not None:
                won.append(row.pk)
        connection.close()

    threads = [threading.Thread(target=race) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(won) == sorted(row.pk for row in rows)
    assert set(Assessment.objects.values_list("attempts", flat=True)) == {1}


def test_a_lease_keeps_others_away_until_it_runs_out(space: Space) -> None:
    row = claimed(space)
    assert row.leased_until == NOW + services.LEASE
    assert claim(row, NOW + services.LEASE) is None
    taken_over = claim(row, NOW + services.LEASE + SECOND)
    assert taken_over is not None
    assert taken_over.attempts == 2


def test_who_lost_the_lease_cannot_finish(space: Space) -> None:
    former = claimed(space)
    holder = claim(former, NOW + services.LEASE + SECOND)
    assert holder is not None
    assert services.finish(assessment=former, result=assessment_result(0.9), now=NOW) == []
    assert services.finish(assessment=former, result=assessment_result(0.1), now=NOW) == []
    assert reschedule(former, permanent=True).state == State.RUNNING
    assert not Memory.objects.exists()
    [memory] = services.finish(assessment=holder, result=assessment_result(0.8), now=NOW)
    assert (again(holder).state, again(holder).importance) == (State.DONE, 0.8)


def test_a_claim_names_its_space(space: Space, other_space: Space) -> None:
    row = queued(space)
    assert services.claim(space_id=other_space.pk, assessment_id=row.pk, now=NOW) is None
    assert services.claim(space_id=space.pk, assessment_id=uuid4(), now=NOW) is None


# --- Finishing ------------------------------------------------------------------------------


def test_finish_stores_the_result_and_memory(space: Space) -> None:
    row = claimed(space)
    [memory] = services.finish(assessment=row, result=assessment_result(0.4), now=NOW + SECOND)
    stored = again(row)
    assert (stored.state, stored.memory) == (State.DONE, memory)
    assert (stored.finished_at, stored.leased_until) == (NOW + SECOND, None)
    assert stored.ttl_seconds == 7 * 24 * 3600
    assert memory.content == "User moved to Lisbon in March"
    assert (memory.importance, memory.memory_type) == (0.4, "fact")
    assert memory.created_at == NOW
    assert memory.expires_at == NOW + SECOND + timedelta(days=7)


def test_finish_twice_gives_one_memory(space: Space) -> None:
    row = claimed(space)
    assert len(services.finish(assessment=row, result=assessment_result(), now=NOW)) == 1
    assert services.finish(assessment=row, result=assessment_result(), now=NOW) == []
    assert Memory.objects.count() == 1


def test_the_database_itself_refuses_a_second_memory(space: Space) -> None:
    row = claimed(space)
    services.finish(assessment=row, result=assessment_result(), now=NOW)
    other = claimed(space)
    services.finish(assessment=other, result=assessment_result(summary="User likes tea"), now=NOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        Memory.objects.filter(source_assessment=other.pk).update(source_assessment=row.pk)


@pytest.mark.parametrize(
    ("importance", "store_above", "state"),
    [
        (0.19, 0.2, State.IGNORED),
        (0.2, 0.2, State.DONE),
        (0.0, 0.0, State.DONE),
        (0.69, 0.7, State.IGNORED),
    ],
)
def test_what_is_below_store_above_is_assessed_and_not_kept(
    space: Space, importance: float, store_above: float, state: str
) -> None:
    document = PolicyDocument.model_validate({"assessment": {"store_above": store_above}})
    PolicyVersion.objects.create(space=space, version=2, document=document.model_dump(mode="json"))
    row = claimed(space)
    services.finish(assessment=row, result=assessment_result(importance), now=NOW)
    assert again(row).state == state
    assert again(row).importance == importance
    assert Memory.objects.exists() == (state == State.DONE)
