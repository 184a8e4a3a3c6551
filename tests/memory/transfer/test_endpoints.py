"""Export and import by the API."""

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.models import Space
from foundation.readers import EVERYONE
from memory.models import JobPart, Memory, PolicyVersion
from memory.policies.services import change_policy
from memory.transfer.stream import export_response
from tests.conftest import ApiClient, MakeKey
from tests.memory.transfer.spaces import exported
from tests.memory.writing import ALICE, remember

Api = Callable[[str | None], ApiClient]


def test_a_small_file_is_in_when_the_answer_comes(
    space: Space, other_space: Space, api: Api, key: MakeKey
) -> None:
    remember(space, "User likes pizza")
    file = exported(space)
    Memory.objects.in_space(space).delete()

    answer = api(key(other_space)).post("import", file).json()

    assert (answer["status"], answer["done"], answer["total"]) == ("done", len(file), len(file))
    assert answer["result"]["counts"]["memory"] == {"new": 1, "known": 0}
    assert Memory.objects.in_space(other_space).get().content == "User likes pizza"
    assert not JobPart.objects.exists()


def test_a_preview_forecasts_lifetimes_and_writes_nothing(
    space: Space, other_space: Space, api: Api, key: MakeKey
) -> None:
    """Seed 001, `calculate_ttl`: "3 days"."""
    now = timezone.now()
    remember(space, "User is called Jaz", importance=0.9, now=now)
    remember(space, "User has a cat", importance=0.1, pinned=True, now=now)
    remember(space, "User had soup", importance=0.1, now=now)
    remember(space, "User had rice", importance=0.1, now=now - timedelta(days=4))
    remember(space, "User had tea", importance=0.6, now=now)
    change_policy(space=space, changes={"capacity": 1}, actor=ALICE, now=now)
    file, client = exported(space), api(key(other_space))

    answer = client.post("import?preview=true", file).json()

    assert not Memory.objects.in_space(other_space).exists()
    forecast = answer["result"]["forecast"]
    assert [one["count"] for one in forecast.pop("expire")] == [1, 0, 1, 0]
    rows = 5 + PolicyVersion.objects.filter(space=space).count()
    assert (forecast.pop("new"), forecast.pop("known")) == (rows, 5)  # an event for each memory
    # The file's policy is for an unused space.
    assert forecast == {
        "memories": 5, "exchanges": 0, "expired": 1, "never": 2, "capacity": 1,
        "over_capacity": 3,
    }  # fmt: skip

    assert client.post("import?keep_forever=true", file).json()["status"] == "done"
    assert Memory.objects.in_space(other_space).filter(pinned=True).count() == 5
    again = client.post("import?preview=true", file).json()["result"]["forecast"]
    assert (again["new"], again["memories"], again["over_capacity"]) == (0, 0, 4)


def test_a_large_file_is_left_to_a_worker(space: Space, api: Api, key: MakeKey) -> None:
    line = json.dumps({"content": "User likes pizza", "id": "f926ff7f", "note": "x" * 1000})
    client = api(key())

    answer = client.post("import", (line + "\n").encode() * 1200)

    assert answer.status_code == 202
    job = answer.json()
    assert (job["status"], job["total"]) == ("queued", 1200 * (len(line) + 1))
    assert client.post("import", b"{}").status_code == 409
    assert client.get(f"jobs/{job['id']}").json()["status"] == "queued"
    assert client.post(f"jobs/{job['id']}/cancel").json()["status"] == "cancelled"
    assert client.post(f"jobs/{job['id']}/resume").json()["status"] == "queued"
    assert [item["id"] for item in client.get("jobs").json()["items"]] == [job["id"]]


@pytest.mark.parametrize(
    ("content_type", "body", "field"),
    [
        ("multipart/form-data", b"x", "body"),
        ("multipart/form-data; boundary=", b"x", "body"),
        ("multipart/form-data; boundary=\xe9", b"x", "body"),
        ("multipart/form-data; boundary=cut", b"", "body"),
        ("multipart/form-data; boundary=cut", b"no part at all", "file"),
        (
            "multipart/form-data; boundary=cut",
            b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n'
            b"Content-Transfer-Encoding: base64\r\n\r\n%%%\r\n--cut--",
            "body",
        ),
    ],
)
def test_form_that_is_none_is_refused_as_every_bad_body(
    space: Space, key: MakeKey, content_type: str, body: bytes, field: str
) -> None:
    client = Client(headers={"Authorization": f"Bearer {key()}"})

    answer = client.generic("POST", "/api/v1/import", body, content_type=content_type)

    assert answer.status_code == 422, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "memory_invalid_arguments"
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert not Memory.objects.in_space(space).exists()


def test_a_form_brings_its_file(space: Space, key: MakeKey) -> None:
    client = Client(headers={"Authorization": f"Bearer {key()}"})
    file = SimpleUploadedFile("memories.jsonl", b'{"content": "User likes pizza"}')

    assert client.post("/api/v1/import", {"file": file}).status_code == 200
    assert client.post("/api/v1/import", {"other": "1"}).status_code == 422
    assert client.post("/api/v1/import", b"", content_type="text/plain").status_code == 422
    assert Memory.objects.in_space(space).count() == 1


def test_with_abort_wrong_lines_are_the_answer(space: Space, api: Api, key: MakeKey) -> None:
    file = b'{"content": "User likes pizza"}\n{"content": ""}\n'

    problem = api(key()).post("import?on_error=abort", file)

    assert problem.status_code == 422
    assert [error["field"] for error in problem.json()["errors"]] == ["body", "line 2"]
    assert not Memory.objects.in_space(space).exists()


@pytest.mark.django_db(transaction=True)
def test_the_streamed_file_is_the_whole_space(space: Space) -> None:
    for number in range(3):
        remember(space, f"User likes pizza number {number}")

    async def read() -> bytes:
        return b"".join([piece async for piece in response])

    response = export_response(space, EVERYONE, now=timezone.now())
    lines = asyncio.run(read()).decode().splitlines()

    assert json.loads(lines[0])["format"] == "ebb-export"
    assert sum(json.loads(line).get("kind") == "memory" for line in lines) == 3
    assert json.loads(lines[-1]) == {"kind": "end", "rows": len(lines) - 2}


def test_export_says_what_it_is(space: Space, key: MakeKey) -> None:
    answer = Client(headers={"Authorization": f"Bearer {key()}"}).get("/api/v1/export")

    assert answer["Content-Type"] == "application/x-ndjson"
    assert answer["Content-Disposition"].startswith('attachment; filename="home-')
    reader = Client(headers={"Authorization": f"Bearer {key(space, ['read', 'write'])}"})
    assert reader.get("/api/v1/export").status_code == 403
