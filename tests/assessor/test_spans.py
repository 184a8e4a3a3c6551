"""Exchanges that are assessed a topic at a time: none is lost, and each ends with its span."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from accounts.models import Space
from assessor.assessing import Exchange, assess_locally
from assessor.errors import AssessmentError
from assessor.models import Assessment, State
from assessor.outbox import services
from assessor.outbox.spans import SAME_TOPIC, has_to_wait, similarity, wait_for_span
from assessor.saving.exchanges import joined, span_of
from memory.models import Memory
from memory.policy import AssessmentPolicy

NOW = datetime(2026, 2, 18, 12, 0, tzinfo=UTC)
IDLE = timedelta(minutes=30)
BY_TOPIC = AssessmentPolicy(trigger="topic_change")
COOKING = [
    ("My sister Ana loves mushroom risotto", "Risotto needs good stock."),
    ("Ana is allergic to porcini mushrooms", "Then cook the risotto with chanterelles."),
]
CAR = ("My car broke down on the motorway near Porto", "Did you call a tow truck?")


def queued(space: Space, said: tuple[str, str], minute: int = 0, **changes: Any) -> Assessment:
    now = NOW + timedelta(minutes=minute)
    exchange = Exchange(*said, source_conversation=changes.pop("conversation", "c1"))
    return services.queue_assessment(space=space, exchange=exchange, now=now)


def claimed(row: Assessment, now: datetime) -> Assessment:
    assessment = services.claim(space_id=row.space_id, assessment_id=row.pk, now=now)
    assert assessment is not None
    return assessment


def arrived(space: Space, said: tuple[str, str], minute: int = 0, **changes: Any) -> Assessment:
    """An exchange that a worker has taken and put where it waits."""
    now = NOW + timedelta(minutes=minute)
    assessment = claimed(queued(space, said, minute, **changes), now)
    wait_for_span(assessment=assessment, idle=IDLE, now=now)
    assessment.refresh_from_db()
    return assessment


@pytest.fixture
def span(space: Space) -> list[Assessment]:
    """Two exchanges about one thing."""
    return [arrived(space, said, minute) for minute, said in enumerate(COOKING)]


def test_the_examples_are_what_they_are_for() -> None:
    first, second, other = ("\n".join(said) for said in (*COOKING, CAR))
    assert similarity(first, second) >= SAME_TOPIC > similarity(second, other)


def test_only_a_policy_by_topic_makes_an_exchange_wait_and_only_once(space: Space) -> None:
    row = claimed(queued(space, CAR), NOW)
    assert not has_to_wait(row, AssessmentPolicy())
    assert has_to_wait(row, BY_TOPIC)
    wait_for_span(assessment=row, idle=IDLE, now=NOW)
    row.refresh_from_db()
    assert not has_to_wait(row, BY_TOPIC)
    alone = claimed(queued(space, CAR, conversation=""), NOW)
    assert not has_to_wait(alone, BY_TOPIC)


def test_a_topic_waits_for_silence_and_nobody_can_take_it_before(span: list[Assessment]) -> None:
    first, second = Assessment.objects.order_by("created_at")
    end = NOW + timedelta(minutes=1) + IDLE
    assert (first.state, first.due_at, first.span_ends_at) == (State.QUEUED, end, end)
    assert (second.state, second.part_of, second.attempts) == (State.QUEUED, first, 0)
    assert not Assessment.objects.claimable(end - timedelta(seconds=1)).exists()
    assert list(Assessment.objects.claimable(end)) == [first]


def test_a_span_is_assessed_as_one_and_ends_as_one(span: list[Assessment], space: Space) -> None:
    end = NOW + timedelta(minutes=1) + IDLE
    first = claimed(span[0], end)
    assert not has_to_wait(first, BY_TOPIC)
    exchange = joined(span_of(first))
    assert exchange.user_message == f"{COOKING[0][0]}.\n{COOKING[1][0]}."
    assert exchange.assistant_response == "\n".join(reply for _, reply in COOKING)
    memories = services.finish(assessment=first, result=assess_locally(exchange), now=end)
    assert set(Memory.objects.in_space(space)) == set(memories) != set()
    rows = Assessment.objects.in_space(space).order_by("created_at")
    assert {(row.state, row.finished_at) for row in rows} == {(State.DONE, end)}
    # Each exchange has the memories of its own words.
    assert [row.memories for row in rows] == [[memory] for memory in memories]


def test_another_topic_ends_the_span_now(
    span: list[Assessment], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks() as told:
        other = arrived(span[0].space, CAR, minute=2)
    assert len(told) == 2  # the new exchange, and the span that it ended
    span[0].refresh_from_db()
    now = NOW + timedelta(minutes=2)
    assert (span[0].span_ends_at, span[0].due_at) == (now, now)
    assert (other.part_of, other.span_ends_at) == (None, now + IDLE)
    assert list(Assessment.objects.claimable(now)) == [span[0]]


def test_what_was_recalled_into_both_replies_is_no_topic(span: list[Assessment]) -> None:
    recalled = "From what you told me before:\n\n- “{}” (Feb. 18, 2026, 58% match)"
    said, reply = CAR
    other = arrived(span[0].space, (said, f"{reply}\n\n{recalled.format(COOKING[0][0])}"), 2)
    assert other.part_of is None


def test_conversations_and_spaces_have_spans_of_their_own(
    span: list[Assessment], space: Space, other_space: Space
) -> None:
    elsewhere = arrived(space, COOKING[1], 2, conversation="c2")
    stranger = arrived(other_space, COOKING[1], 2)
    assert (elsewhere.part_of, stranger.part_of) == (None, None)


def test_what_comes_after_the_silence_begins_a_span(span: list[Assessment]) -> None:
    late = arrived(span[0].space, COOKING[1], minute=60)
    assert late.part_of is None


def test_a_parked_span_is_parked_and_retried_whole(span: list[Assessment], space: Space) -> None:
    end = NOW + timedelta(minutes=1) + IDLE
    error = AssessmentError("no such model", permanent=True)
    services.reschedule(assessment=claimed(span[0], end), error=error, now=end, jitter=0.0)
    rows = Assessment.objects.in_space(space)
    assert set(rows.values_list("state", "error")) == {(State.FAILED, "no such model")}
    services.retry(space=space, assessment_id=span[1].pk, now=end)
    assert set(rows.values_list("state", "error")) == {(State.QUEUED, "")}
    assert list(rows.claimable(end)) == [span[0]]


def test_a_span_is_put_off_whole(span: list[Assessment]) -> None:
    end = NOW + timedelta(minutes=1) + IDLE
    services.reschedule(
        assessment=claimed(span[0], end), error=AssessmentError("busy"), now=end, jitter=0.0
    )
    span[1].refresh_from_db()
    assert (span[1].state, span[1].error) == (State.QUEUED, "")
