"""Judging through the API of the real web server, which asks the stub model."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from uuid import uuid4

import httpx2
import pytest
from django.utils import timezone

from accounts.models import Space
from assessor.errors import AssessmentError
from assessor.models import Assessment, State
from assessor.outbox import services
from memory.models import Memory
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


def test_assess_assesses_and_stores_nothing(caller: httpx2.Client) -> None:
    answer = caller.post("assess", json=PIZZA)
    assert answer.status_code == 200
    assessed = answer.json()
    assert assessed["memory"] is None
    assert assessed["assessment"]["id"] is None
    assert assessed["assessment"]["importance"] == 0.7
    assert assessed["assessment"]["memory_type"] == "preference"
    assert assessed["assessment"]["status"] == "done"
    assert assessed["assessment"]["ttl_seconds"] is None
    assert not Assessment.objects.exists()
    assert not Memory.objects.exists()


def test_assess_stores_on_request(caller: httpx2.Client, space: Space) -> None:
    assessed = caller.post("assess", json=PIZZA | {"store": True}).json()
    [memory] = Memory.objects.in_space(space)
    assert assessed["memory"]["id"] == assessed["assessment"]["memory_id"] == str(memory.pk)
    assert assessed["memory"]["source"]["assessment_id"] == assessed["assessment"]["id"]


def test_each_fact_is_a_memory_and_what_nobody_said_is_none(
    caller: httpx2.Client, stub_model: StubModel
) -> None:
    said = "I'm Nadia, a paramedic in Ghent, and my daughter Lotte is nine"
    told = ((0.9, "I'm Nadia, a paramedic in Ghent"), (0.8, "I'm Sam"), (0.6, "Lotte is nine"))
    facts = [{"importance": weight, "type": "fact", "text": text} for weight, text in told]
    stub_model.script("reply:" + json.dumps({"facts": facts}))

    found = caller.post("assess", json={"user_message": said, "store": True}).json()

    assert [one["content"] for one in found["memories"]] == [told[0][1], told[2][1]]
    assert found["memory"] == found["memories"][0]
    ids = [one["id"] for one in found["memories"]]
    [listed] = caller.get("assessments").json()["items"]
    for shown in (found["assessment"], listed):
        assert (shown["memory_id"], shown["memories"]) == (ids[0], ids)


def test_assess_needs_write(api: Api, key: MakeKey, stub_model: StubModel) -> None:
    reader, local = api(key(scopes=["read"])), PIZZA | {"provider": "local"}
    assert reader.post("assess", json=local | {"store": True}).status_code == 403
    assert reader.post("assessments", json=local).status_code == 403
    for provider in (None, "auto", "llm", "cascade", "local"):
        assert reader.post("assess", json=PIZZA | {"provider": provider}).status_code == 403
    assert stub_model.requests == []


def test_a_stored_assessment_below_the_policy_is_ignored(caller: httpx2.Client) -> None:
    assessed = caller.post("assess", json={"user_message": "hello", "store": True}).json()
    assert (assessed["assessment"]["status"], assessed["memory"]) == ("ignored", None)


def test_tags_and_topics_beyond_the_limits_are_noted(
    caller: httpx2.Client, stub_model: StubModel
) -> None:
    """Seed 001, "System Prompt": "1-10 tags maximum", "0-5 topics maximum"."""
    tags, topics = [f"t{n}" for n in range(12)], [*"abcdef"]
    said = {"importance": 0.7, "summary": "User likes pizza", "tags": tags, "topics": topics}
    stub_model.script("reply:" + json.dumps(said))

    assessed = caller.post("assess", json=PIZZA | {"store": True, "rubric": "graded"}).json()[
        "assessment"
    ]

    assert (assessed["tags"], assessed["topics"]) == (tags[:10], topics[:5])
    assert assessed["omitted"] == {"tags": ["t10", "t11"], "topics": ["f"]}
    assert caller.get(f"assessments/{assessed['id']}").json()["omitted"] == assessed["omitted"]


def test_the_built_in_assessor_may_be_asked_for(
    caller: httpx2.Client, stub_model: StubModel
) -> None:
    assessed = caller.post("assess", json=PIZZA | {"provider": "local"}).json()
    assert (assessed["assessment"]["provider"], assessed["assessment"]["model"]) == (
        *("local", "built-in"),
    )
    assert stub_model.requests == []


@pytest.mark.parametrize("step", ["500", "401", "nonsense", "garbage", "close:1"])
def test_a_failing_model_is_a_503_and_nothing_is_written(
    caller: httpx2.Client, stub_model: StubModel, step: str
) -> None:
    stub_model.script(step, step)
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
