"""Judging through the API of the real web server, which asks the stub model."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from uuid import uuid4

import httpx2
import pytest
from django.utils import timezone

from assessor import services
from assessor.errors import AssessmentError
from assessor.models import Assessment, State
from memory.models import Memory, Space
from tests.conftest import MakeKey
from tests.processes import Web
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

PIZZA = {"user_message": "I like pizza", "assistant_response": "Noted."}
Api = Callable[[str], httpx2.Client]


@pytest.fixture
def api(model_web: Web, stub_model: StubModel) -> Iterator[Api]:
    """Programs that call the API with a key; they hang up with the test."""
    with ExitStack() as clients:

        def make(secret: str) -> httpx2.Client:
            headers = {"Authorization": f"Bearer {secret}"}
            base_url = f"{model_web.url}/api/v1/"
            return clients.enter_context(
                httpx2.Client(base_url=base_url, headers=headers, timeout=90)
            )

        yield make


@pytest.fixture
def caller(api: Api, key: MakeKey) -> httpx2.Client:
    return api(key())


def test_assess_judges_and_stores_nothing(caller: httpx2.Client) -> None:
    answer = caller.post("assess", json=PIZZA)
    assert answer.status_code == 200
    judged = answer.json()
    assert judged["memory"] is None
    assert judged["assessment"]["id"] is None
    assert judged["assessment"]["importance"] == 0.7
    assert judged["assessment"]["memory_type"] == "preference"
    assert judged["assessment"]["status"] == "done"
    assert judged["assessment"]["ttl_seconds"] is None
    assert not Assessment.objects.exists()
    assert not Memory.objects.exists()


def test_assess_stores_on_request(caller: httpx2.Client, space: Space) -> None:
    judged = caller.post("assess", json=PIZZA | {"store": True}).json()
    [memory] = Memory.objects.in_space(space)
    assert judged["memory"]["id"] == judged["assessment"]["memory_id"] == str(memory.pk)
    assert judged["memory"]["source"]["assessment_id"] == judged["assessment"]["id"]


def test_assess_needs_write_only_to_store(api: Api, key: MakeKey) -> None:
    reader = api(key(scopes=["read"]))
    assert reader.post("assess", json=PIZZA).status_code == 200
    assert reader.post("assess", json=PIZZA | {"store": True}).status_code == 403
    assert reader.post("assessments", json=PIZZA).status_code == 403


def test_a_stored_judgement_below_the_policy_is_ignored(caller: httpx2.Client) -> None:
    judged = caller.post("assess", json={"user_message": "hello", "store": True}).json()
    assert (judged["assessment"]["status"], judged["memory"]) == ("ignored", None)


def test_the_built_in_judge_may_be_asked_for(caller: httpx2.Client, stub_model: StubModel) -> None:
    judged = caller.post("assess", json=PIZZA | {"provider": "local"}).json()
    assert (judged["assessment"]["provider"], judged["assessment"]["model"]) == (
        *("local", "built-in"),
    )
    assert stub_model.requests == []


@pytest.mark.parametrize("step", ["500", "401", "nonsense", "garbage", "close:1"])
def test_a_failing_model_is_a_503_and_nothing_is_written(
    caller: httpx2.Client, stub_model: StubModel, step: str
) -> None:
    stub_model.script(step)
    answer = caller.post("assess", json=PIZZA | {"store": True})
    assert (answer.status_code, answer.json()["code"]) == (503, "model_unavailable")
    assert answer.json()["detail"]
    assert not Assessment.objects.exists()


def test_queueing_answers_at_once_and_once(caller: httpx2.Client, stub_model: StubModel) -> None:
    key = {"Idempotency-Key": "one"}
    first = caller.post("assessments", json=PIZZA, headers=key)
    second = caller.post("assessments", json=PIZZA, headers=key)
    assert (first.status_code, second.status_code) == (202, 202)
    assert (
        first.json()
        == second.json()
        == {
            "id": str(Assessment.objects.get().pk),
            "status": "queued",
        }
    )
    assert stub_model.requests == []


def test_a_failed_assessment_is_retried_on_request(caller: httpx2.Client, space: Space) -> None:
    row = caller.post("assessments", json=PIZZA).json()
    assert caller.post(f"assessments/{row['id']}/retry").status_code == 409
    claimed = services.claim(space_id=space.pk, assessment_id=row["id"], now=timezone.now())
    assert claimed is not None
    error = AssessmentError("The model is away.", permanent=True)
    services.reschedule(assessment=claimed, error=error, now=timezone.now(), jitter=0)
    failed = caller.get(f"assessments/{row['id']}").json()
    assert (failed["status"], failed["error"]) == ("failed", "The model is away.")
    assert failed["user_message"] == PIZZA["user_message"]
    assert caller.post(f"assessments/{row['id']}/retry").status_code == 202
    assert Assessment.objects.get().state == State.QUEUED


def test_the_list_is_newest_first_and_filtered(caller: httpx2.Client, space: Space) -> None:
    ids = [caller.post("assessments", json=PIZZA).json()["id"] for _ in range(5)]
    first = caller.get("assessments", params={"limit": 3}).json()
    rest = caller.get("assessments", params={"limit": 3, "cursor": first["next"]}).json()
    assert [row["id"] for row in first["items"] + rest["items"]] == ids[::-1]
    assert rest["next"] is None
    assert caller.get("assessments", params={"status": "done"}).json()["items"] == []
    assert caller.get("assessments", params={"status": "nonsense"}).status_code == 422


def test_anothers_assessment_does_not_exist(
    api: Api, key: MakeKey, caller: httpx2.Client, other_space: Space
) -> None:
    mine = caller.post("assessments", json=PIZZA).json()["id"]
    stranger = api(key(other_space))
    for identifier in (mine, str(uuid4())):
        assert stranger.get(f"assessments/{identifier}").status_code == 404
        assert stranger.post(f"assessments/{identifier}/retry").status_code == 404
    assert stranger.get("assessments").json()["items"] == []
    assert caller.get("assessments/nonsense").status_code == 422
