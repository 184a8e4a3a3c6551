"""Exchanges of one conversation that wait for a slow model are assessed in one call."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from accounts.models import Space
from assessor import tasks
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox.batches import MOST
from assessor.outbox.retractions import retract
from foundation.database.leases import database_now
from memory.models import Memory
from tests.assessor.outbox import NOW, SECOND, again, claim, queued, reschedule
from tests.assessor.test_facts import answer
from tests.memory.writing import ALICE, set_policy
from tests.stub_model import StubModel

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("queue"),
]

SAID = (
    "My cousin Rui keeps bees in Braga",
    "I'm allergic to honey",
    "My sister Ana is a nurse in Ghent",
    "I run every morning before breakfast",
    "My daughter Lotte plays the cello",
)
CHAT = Exchange(SAID[0], "Noted.", source_conversation="c1")


@pytest.fixture(autouse=True)
def slow_model(stub_model: StubModel, settings: Settings) -> StubModel:
    settings.OPENAI_BASE_URL = stub_model.base_url
    return stub_model


def waiting(space: Space, *said: str, **changes: Any) -> list[Assessment]:
    """Exchanges of one conversation, a second apart."""
    return [
        queued(space, replace(CHAT, user_message=one, **changes), said_at=NOW + i * SECOND)
        for i, one in enumerate(said)
    ]


def facts(*said: str) -> str:
    return answer(*((0.8, "fact", one) for one in said))


def states(rows: list[Assessment]) -> list[str]:
    return [again(row).state for row in rows]


def asked(stub_model: StubModel) -> list[str]:
    """Return the messages that the model was shown, without the examples."""
    return [one.body["messages"][-1]["content"] for one in stub_model.requests]


def test_those_that_wait_are_assessed_in_one_call(space: Space, stub_model: StubModel) -> None:
    rows = waiting(space, *SAID)
    stub_model.script(facts(*SAID[:MOST]))

    tasks.assess(space.pk, str(rows[0].pk))

    assert states(rows) == [State.DONE] * MOST + [State.QUEUED]
    [shown] = asked(stub_model)
    assert shown == "Message: " + "\n".join(f"{said}." for said in SAID[:MOST])
    # Each exchange taught what was said in it, and nothing else.
    assert [[one.content for one in again(row).memories] for row in rows[:MOST]] == [
        [said] for said in SAID[:MOST]
    ]


def test_an_edit_takes_back_what_this_message_taught(space: Space, stub_model: StubModel) -> None:
    rows = waiting(space, *SAID[:2])
    stub_model.script(facts(*SAID[:2]))
    tasks.assess(space.pk, str(rows[0].pk))
    retract(space=space, assessment_ids=[rows[1].pk], written_ids=[], actor=ALICE, now=NOW)
    assert {one.content for one in Memory.objects.in_space(space).live()} == {SAID[0]}


def test_those_that_come_meanwhile_wait_and_are_the_next_call(
    space: Space, stub_model: StubModel
) -> None:
    rows = waiting(space, *SAID[:3])
    running = claim(rows[0], database_now())
    assert running is not None

    tasks.assess(space.pk, str(rows[1].pk))

    assert states(rows) == [State.RUNNING, State.QUEUED, State.QUEUED]
    assert again(rows[1]).attempts == 0
    assert not stub_model.requests

    reschedule(running, permanent=True)
    stub_model.script(facts(*SAID[1:3]))
    tasks.assess(space.pk, str(rows[2].pk))
    assert states(rows[1:]) == [State.DONE] * 2
    assert len(stub_model.requests) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"source_conversation": "c2"},
        {"user_id": "alice"},
        {"said_by": "alice"},
        {"user_message": "Write me a story about a knight who keeps bees"},
        {"user_message": "x" * 1001},
    ],
)
def test_only_what_belongs_together_is_joined(
    space: Space, stub_model: StubModel, other: dict[str, Any]
) -> None:
    row, apart = (
        queued(space, CHAT),
        queued(space, replace(CHAT, **{"user_message": SAID[1]} | other)),
    )
    tasks.assess(space.pk, str(row.pk))
    assert states([row, apart]) == [State.DONE, State.QUEUED]


def test_an_answer_is_shown_with_its_question_alone(space: Space, stub_model: StubModel) -> None:
    row = queued(space, replace(CHAT, assistant_response="Lovely! Do you have any pets?"))
    said = replace(CHAT, user_message="yes, a tortoise called Basil")
    short = queued(space, said, said_at=NOW + SECOND)
    tasks.assess(space.pk, str(row.pk))
    assert states([row, short]) == [State.DONE, State.QUEUED]


def test_another_day_is_another_call(space: Space, stub_model: StubModel) -> None:
    row, later = waiting(space, *SAID[:2])
    Assessment.objects.filter(pk=later.pk).update(created_at=NOW + timedelta(days=1))
    tasks.assess(space.pk, str(row.pk))
    assert states([row, later]) == [State.DONE, State.QUEUED]


@pytest.mark.parametrize("changes", [{"rubric": "graded"}, {"facts": "one"}])
def test_one_memory_of_an_exchange_is_of_one_exchange(
    space: Space, stub_model: StubModel, changes: dict[str, str]
) -> None:
    set_policy(space, assessment=changes)
    rows = waiting(space, *SAID[:2])
    tasks.assess(space.pk, str(rows[0].pk))
    assert states(rows) == [State.DONE, State.QUEUED]


def test_a_failed_call_is_repeated_with_all_of_its_exchanges(
    space: Space, stub_model: StubModel
) -> None:
    rows = waiting(space, *SAID[:2])
    stub_model.script("503", facts(*SAID[:2]))
    tasks.assess(space.pk, str(rows[0].pk))
    assert states(rows) == [State.RETRYING, State.RUNNING]

    Assessment.objects.filter(pk=rows[0].pk).update(due_at=NOW)
    tasks.assess(space.pk, str(rows[0].pk))
    assert states(rows) == [State.DONE] * 2
    assert Memory.objects.in_space(space).live().count() == 2


def test_a_secret_in_a_joined_message_is_masked(space: Space, stub_model: StubModel) -> None:
    secret = "sk-proj-aB3dE5fG7hI9jK1lM3nO5pQ7rS9t"
    rows = waiting(space, SAID[0], f"I work at Acme in Ghent and my key is {secret}")
    tasks.assess(space.pk, str(rows[0].pk))
    assert secret not in again(rows[1]).user_message
    assert secret not in str(stub_model.requests[-1].body)
