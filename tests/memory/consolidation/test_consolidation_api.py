"""The API of consolidation: a preview that changes nothing, applying, undo, and each error."""

from typing import Any
from uuid import uuid4

import pytest

from accounts.keys.services import create_key
from accounts.models import Space
from memory.models import Memory
from memory.tasks import work
from tests.conftest import ApiClient, MakeKey
from tests.memory.consolidation.runs import PENICILLIN, said
from tests.memory.writing import ALICE, NOW, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(key: MakeKey) -> ApiClient:
    return ApiClient(key())


def previewed(client: ApiClient, space: Space, **query: str) -> dict[str, Any]:
    """The job of a preview when it has ended."""
    answer = client.call("POST", "consolidation/preview", query=query)
    assert (answer.status_code, answer.json()["status"]) == (202, "queued")
    work(space.pk, answer.json()["id"])
    job: dict[str, Any] = client.get(f"jobs/{answer.json()['id']}", **query).json()
    assert job["status"] == "done"
    return job


def test_preview_apply_and_undo(client: ApiClient, space: Space) -> None:
    first, second = said(space, *PENICILLIN)

    job = previewed(client, space)
    [one] = job["result"]["proposals"]
    assert (one["kind"], one["sources"]) == ("merge", [str(first.pk), str(second.pk)])
    assert set(one["result"]) == {"content", "memory_type", "importance"}
    assert 0 <= one["confidence"] <= 1
    assert Memory.objects.in_space(space).live().count() == 2

    done = client.post("consolidation/apply", {"job_id": job["id"], "ids": [one["id"]]}).json()
    assert (done["applied"], done["outdated"]) == (1, 0)
    [memory] = client.get("memories").json()["items"]
    assert memory["content"] == one["result"]["content"]
    binned = client.get("recycle-bin").json()["items"]
    assert {item["reason"] for item in binned} == {"consolidated"}
    assert {item["consolidated_into"] for item in binned} == {memory["id"]}

    undone = client.post(f"actions/{done['action_id']}/undo")
    assert (undone.status_code, undone.json()) == (200, {"restored": 2, "left": 0})
    assert {stored(first).status, stored(second).status} == {"live"}
    again = client.post(f"actions/{done['action_id']}/undo")
    assert (again.status_code, again.json()["code"]) == (409, "conflict")


def test_without_ids_all_proposals_are_one_action(client: ApiClient, space: Space) -> None:
    said(space, *PENICILLIN, "User smokes", "User quit smoking")
    job = previewed(client, space)
    assert len(job["result"]["proposals"]) == 2

    done = client.post("consolidation/apply", {"job_id": job["id"]}).json()
    again = client.post("consolidation/apply", {"job_id": job["id"]}).json()

    assert done["applied"] == 2
    assert again == {"action_id": None, "applied": 0, "outdated": 0}
    assert client.post(f"actions/{done['action_id']}/undo").json() == {"restored": 3, "left": 0}


def test_bad_input_has_a_clear_error_and_changes_nothing(client: ApiClient, space: Space) -> None:
    said(space, *PENICILLIN)
    job = previewed(client, space)
    [one] = job["result"]["proposals"]
    waiting = client.post("consolidation/preview").json()["id"]
    for body, status, code in (
        ({"job_id": "7"}, 422, "memory_invalid_arguments"),
        ({"job_id": job["id"], "ids": ["7"]}, 422, "memory_invalid_arguments"),
        ({"job_id": job["id"], "ids": []}, 422, "memory_invalid_arguments"),
        ({"job_id": str(uuid4())}, 404, "not_found"),
        ({"job_id": job["id"], "ids": [one["id"], str(uuid4())]}, 404, "not_found"),
        ({"job_id": waiting}, 409, "conflict"),
    ):
        answer = client.post("consolidation/apply", body)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert client.post("consolidation/preview").status_code == 409
    assert client.post("actions/7/undo").status_code == 422
    assert Memory.objects.in_space(space).live().count() == 2


def test_a_decided_proposal_is_a_conflict(client: ApiClient, space: Space) -> None:
    said(space, *PENICILLIN)
    job = previewed(client, space)
    body = {"job_id": job["id"], "ids": [job["result"]["proposals"][0]["id"]]}
    assert client.post("consolidation/apply", body).status_code == 200

    answer = client.post("consolidation/apply", body)

    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


def test_each_user_sees_and_changes_their_own(client: ApiClient, space: Space) -> None:
    for user_id in (None, "alice", "bob"):
        said(space, *PENICILLIN, user_id=user_id, at=NOW)

    alice = previewed(client, space, user_id="alice")
    everybody = previewed(client, space, user_id="*")

    assert len(alice["result"]["proposals"]) == 1
    assert len(everybody["result"]["proposals"]) == 3
    # The job is visible without a user, the others' proposals are not.
    [shared] = client.get(f"jobs/{everybody['id']}").json()["result"]["proposals"]
    [hers] = [
        one for one in everybody["result"]["proposals"]
        if Memory.objects.get(pk=one["sources"][0]).user_id == "alice"
    ]  # fmt: skip
    body = {"job_id": everybody["id"], "ids": [hers["id"]]}
    assert client.post("consolidation/apply", body).status_code == 404
    body = {"job_id": everybody["id"], "ids": [shared["id"]]}
    refused = client.call("POST", "consolidation/apply", body, query={"user_id": "alice"})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    done = client.call(
        "POST", "consolidation/apply", {"job_id": everybody["id"]}, query={"user_id": "alice"}
    )
    assert done.json()["applied"] == 1
    live = Memory.objects.in_space(space).live()
    assert [live.filter(user_id=name).count() for name in ("alice", "bob")] == [1, 2]


def test_the_policy_says_when_and_how_surely(client: ApiClient, space: Space) -> None:
    assert client.get("policy").json()["consolidation"] == {
        "mode": "off", "min_confidence": 0.9, "model_calls": 20,
    }  # fmt: skip
    changed = client.patch("policy", {"consolidation": {"mode": "automatic"}})
    assert changed.json()["consolidation"]["mode"] == "automatic"
    assert client.patch("policy", {"consolidation": {"mode": "always"}}).status_code == 422


def test_a_user_waits_for_no_other_users_preview(space: Space) -> None:
    """Nor does a user learn by a refusal that another one looks for duplicates."""
    for user in (None, "alice", "bob"):
        _, secret = create_key(space=space, scopes=["write"], user_id=user, actor=ALICE, now=NOW)
        client = ApiClient(secret)
        assert client.post("consolidation/preview").status_code == 202, user
        assert client.post("consolidation/preview").status_code == 409, user
