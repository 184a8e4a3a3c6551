"""The built-in assessor takes over where a model does not answer, or says what nobody said."""

import json
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from accounts.models import Space
from assessor import tasks
from assessor.assessing import Exchange
from assessor.models import MAX_ATTEMPTS, Assessment, State
from assessor.outbox import services
from assessor.reassessing import to_assess
from memory.model_connections.choosing import chosen_model
from memory.model_connections.observations import observe, observed
from memory.models import Memory, PolicyVersion, Purpose
from memory.policy import AssessmentPolicy, PolicyDocument
from tests.assessor.outbox import NOW, again
from tests.stub_model import StubModel

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("queue")]
BEES = Exchange("My cousin Rui keeps bees in Braga", "How nice!")
ANSWER = {
    "importance": 0.7,
    "memory_type": "event",
    "tags": ["bees"],
    "topics": [],
    "reasoning": "",
}


def fact(text: str) -> str:
    return "reply:" + json.dumps({"facts": [{"importance": 0.7, "type": "event", "text": text}]})


@pytest.fixture(autouse=True)
def _model(settings: Settings, stub_model: StubModel) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = stub_model.base_url, "key"
    settings.EBB_ASSESSOR_MODEL = "stub"


def set_policy(space: Space, **assessment: Any) -> None:
    document = PolicyDocument.model_validate({"assessment": assessment})
    PolicyVersion.objects.create(space=space, version=2, document=document.model_dump(mode="json"))


def run(space: Space, *, attempts: int = 0) -> Assessment:
    """The exchange after its next attempt; `attempts` were made before."""
    row = services.queue_assessment(space=space, exchange=BEES, now=NOW)
    Assessment.objects.filter(pk=row.pk).update(attempts=attempts)
    tasks.assess(space.pk, str(row.pk))
    return again(row)


def test_the_built_in_assessor_takes_over_after_the_last_attempt(
    space: Space, stub_model: StubModel
) -> None:
    stub_model.script("500")

    row = run(space, attempts=MAX_ATTEMPTS - 1)

    assert (row.state, row.provider, row.model) == (State.DONE, "local", "built-in")
    assert (row.fallback_of, row.fallback_reason) == ("stub", "no_answer")
    assert "returned an error" in row.failed_tries[-1]["error"]
    assert "Rui" in Memory.objects.get(space=space).content


def test_an_earlier_attempt_is_retried_first(space: Space, stub_model: StubModel) -> None:
    stub_model.script("500")

    row = run(space)

    assert (row.state, row.fallback_of) == (State.RETRYING, "")


def test_a_refused_key_does_not_stop_learning(space: Space, stub_model: StubModel) -> None:
    stub_model.script("401")

    row = run(space)

    assert (row.state, row.fallback_reason) == (State.DONE, "no_answer")


@pytest.mark.parametrize(("answered_before", "state"), [(1, State.RETRYING), (2, State.DONE)])
def test_the_third_unusable_answer_is_the_last(
    space: Space, stub_model: StubModel, answered_before: int, state: State
) -> None:
    stub_model.script("reply:{}")
    tried = {"at": "", "error": "It does not fit.", "code": "", "answer": "{"}
    row = services.queue_assessment(space=space, exchange=BEES, now=NOW)
    rows = Assessment.objects.filter(pk=row.pk)
    rows.update(attempts=answered_before, failed_tries=[tried] * answered_before)

    tasks.assess(space.pk, str(row.pk))

    assert again(row).state == state
    assert again(row).fallback_of == ("stub" if state == State.DONE else "")


def test_the_policy_may_let_it_fail_instead(space: Space, stub_model: StubModel) -> None:
    set_policy(space, fallback=False)
    stub_model.script("401")

    row = run(space)

    assert (row.state, row.fallback_of) == (State.FAILED, "")
    assert not Memory.objects.filter(space=space).exists()


def test_an_invented_summary_is_replaced_and_said_so(space: Space, stub_model: StubModel) -> None:
    invented = "This conversation is about bee conservation and sustainability"
    stub_model.script(fact(invented))

    row = run(space)

    assert (row.provider, row.fallback_of, row.fallback_reason) == ("local", "stub", "ungrounded")
    assert row.summary != invented
    assert invented in row.raw_answer
    assert "Rui" in Memory.objects.get(space=space).content


def test_a_summary_of_what_was_said_is_kept(space: Space, stub_model: StubModel) -> None:
    stub_model.script(fact("Rui keeps bees in Braga"))

    row = run(space)

    assert (row.provider, row.fallback_of, row.summary) == ("llm", "", "Rui keeps bees in Braga.")


@pytest.mark.parametrize("answer", ["401", "invented"])
def test_the_facets_are_kept(space: Space, stub_model: StubModel, answer: str) -> None:
    """Seed 003, line 24: 建议在那里把摘要输出扩展为包含 `E/I/P/J`."""
    facets = {"P": 1.0, "valence": 0.0, "intensity": 0.0, "I": 1.0, "J": 1.0}
    invented = json.dumps({**ANSWER, **facets, "summary": "Bee conservation and sustainability"})
    stub_model.script("401" if answer == "401" else f"reply:{invented}")
    set_policy(space, rubric="facets")

    row = run(space)

    assert (row.provider, row.fallback_of, row.rubric) == ("local", "stub", "facets")
    assert row.facets is not None
    assert {"P", "E", "I", "J"} <= set(row.facets)
    assert Memory.objects.get(space=space).facets is not None


def test_taken_over_exchanges_can_be_assessed_again_in_bulk(
    space: Space, stub_model: StubModel
) -> None:
    stub_model.script("401")
    taken_over = run(space)
    invented = run(space)

    assert list(to_assess(space)) == [taken_over]
    assert invented.fallback_reason == ""


@pytest.mark.parametrize(
    ("attempt", "seconds"), [(1, 5), (2, 15), (3, 45), (4, 120), (5, 120), (8, 120)]
)
def test_each_attempt_waits_longer(attempt: int, seconds: float) -> None:
    assert AssessmentPolicy().timeout_of(attempt) == seconds


def test_a_longer_first_timeout_is_not_cut() -> None:
    assert AssessmentPolicy(timeout_seconds=200).timeout_of(3) == 200


def test_an_attempt_waits_as_long_as_the_latest_answer_took(
    space: Space, stub_model: StubModel
) -> None:
    chosen = chosen_model(Purpose.ASSESS, space)
    assert chosen
    set_policy(space, timeout_seconds=0.001)
    given_up = run(space)
    observe(chosen.configuration, "seconds", 20)

    patient = run(space)

    assert given_up.state == State.RETRYING
    assert (patient.state, patient.attempts, patient.failed_tries) == (State.DONE, 1, [])
    assert 0 < observed(chosen.configuration, "seconds") < 20


def test_a_failed_call_never_makes_ebb_less_patient(space: Space, stub_model: StubModel) -> None:
    chosen = chosen_model(Purpose.ASSESS, space)
    assert chosen
    observe(chosen.configuration, "seconds", 20)
    stub_model.script("401")
    run(space)
    assert observed(chosen.configuration, "seconds") == 20


@pytest.mark.parametrize(("seconds", "attempt"), [(0, 1), (5, 1), (6, 2), (40, 3), (900, 4)])
def test_the_first_attempt_that_waits_long_enough(seconds: float, attempt: int) -> None:
    assert AssessmentPolicy().attempt_within(seconds) == attempt
