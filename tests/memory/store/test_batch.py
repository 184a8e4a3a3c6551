"""POST memories/batch (API.md): many at once, all or none, conversations in their order."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from accounts.models import Space
from memory.models import Memory, MemoryEmbedding, MemoryEvent
from tests.conftest import ApiClient, MakeKey

Api = Callable[[str | None], ApiClient]


def turn(number: int, **item: Any) -> dict[str, Any]:
    source = {
        "conversation_id": "talk",
        "speaker": "Ana" if number % 2 else "Bruno",
        "role": "user",
    }
    return {"content": f"turn number {number}", "source": source} | item


@pytest.fixture
def client(api: Api, key: MakeKey) -> ApiClient:
    return api(key())


def test_batch_answers_every_memory_in_the_order_given(client: ApiClient, space: Space) -> None:
    turns = [turn(n, created_at="2023-05-08T13:56:00Z", importance=0.4) for n in range(60)]

    answer = client.post("memories/batch", {"items": turns})

    assert answer.status_code == 201
    body = answer.json()
    assert body["created"] == 60
    assert [item["content"] for item in body["items"]] == [one["content"] for one in turns]
    assert body["items"][7]["source"] == {
        "role": "user", "speaker": "Ana", "conversation_id": "talk", "assessment_id": None,
    }  # fmt: skip
    assert {item["created_at"] for item in body["items"]} == {"2023-05-08T13:56:00Z"}
    assert Memory.objects.in_space(space).live().count() == 60
    assert MemoryEmbedding.objects.filter(space=space).count() == 60


def test_items_may_leave_it_to_ebb_whether_they_are_new(client: ApiClient, space: Space) -> None:
    known = client.post("memories", {"content": "User likes pizza"}).json()
    again = {"on_duplicate": "reinforce"}
    items = [
        {"content": "User likes pizza"} | again,
        {"content": "User plays the cello"} | again,
        {"content": "User likes pizza"},
        {"content": "User plays the cello"} | again,
    ]

    body = client.post("memories/batch", {"items": items}).json()

    pizza, cello, another, cello_again = (item["id"] for item in body["items"])
    assert body["created"] == 2
    assert pizza in {known["id"], another}
    assert another != known["id"]
    assert cello == cello_again
    assert Memory.objects.count() == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"importance": 1.5},
        {"content": "  "},
        {"memory_type": "rumour"},
        {"source": {"speaker": "Ana", "mood": "glad"}},
    ],
)
def test_one_wrong_item_and_nothing_is_written(
    client: ApiClient, space: Space, wrong: dict[str, Any]
) -> None:
    answer = client.post("memories/batch", {"items": [turn(0), turn(1) | wrong, turn(2)]})

    assert answer.status_code == 422
    problem = answer.json()
    assert problem["code"] == "memory_invalid_arguments"
    assert problem["errors"][0]["field"].startswith("items.1.")
    assert not Memory.objects.in_space(space).exists()


@pytest.mark.parametrize("count", [0, 1001])
def test_batch_takes_one_to_a_thousand(client: ApiClient, space: Space, count: int) -> None:
    answer = client.post("memories/batch", {"items": [turn(n) for n in range(count)]})

    assert answer.status_code == 422
    assert not Memory.objects.in_space(space).exists()


def send(client: ApiClient, key: str, *items: dict[str, Any]) -> dict[str, Any]:
    answer = client.post("memories/batch", {"items": items}, headers={"Idempotency-Key": key})
    assert answer.status_code == 201
    body: dict[str, Any] = answer.json()
    return {"created": body["created"], "ids": [item["id"] for item in body["items"]]}


def test_a_batch_sent_twice_with_its_key_is_written_once(client: ApiClient, space: Space) -> None:
    known = client.post("memories", {"content": "User likes pizza"}).json()["id"]
    items = [
        {"content": "User plays the cello"},
        {"content": "User likes pizza", "on_duplicate": "reinforce"},
        {"content": "User plays the cello"},
    ]

    first = send(client, "k", *items)
    history = MemoryEvent.objects.filter(space=space).count()

    assert (first["created"], first["ids"][1]) == (2, known)
    assert send(client, "k", *items) == send(client, "k", turn(1)) == first
    assert MemoryEvent.objects.filter(space=space).count() == history
    assert send(client, "another", *items)["ids"][0] != first["ids"][0]


def test_of_a_batch_sent_again_what_is_gone_for_good_is_left_out(client: ApiClient) -> None:
    _, gone, last = send(client, "k", turn(0), turn(1), turn(2))["ids"]
    client.delete(f"memories/{gone}")
    client.delete(f"recycle-bin/{gone}")

    again = send(client, "k", turn(0), turn(1), turn(2))

    assert again["created"] == 2
    assert again["ids"][1:] == [last]


def test_a_key_of_a_batch_that_was_refused_is_free(client: ApiClient, space: Space) -> None:
    wrong = {"items": [turn(0), {"content": ""}]}
    refused = client.post("memories/batch", wrong, headers={"Idempotency-Key": "k"})

    assert refused.status_code == 422
    assert send(client, "k", turn(0))["created"] == 1
    assert Memory.objects.in_space(space).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_batch_that_comes_four_times_at_once_is_written_once(
    client: ApiClient, space: Space
) -> None:
    together = Barrier(4)

    def at_once(_: int) -> dict[str, Any]:
        together.wait(timeout=30)
        try:
            return send(client, "k", turn(0), turn(1))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(at_once, range(4)))

    assert answers == answers[:1] * 4
    assert Memory.objects.in_space(space).count() == 2


def test_turns_of_a_conversation_find_each_other(client: ApiClient) -> None:
    said = ["Where did you spend the summer?", "In the Dolomites.", "It rained for two weeks.",
            "Poor you!", "I read a lot.", "Good."]  # fmt: skip
    source = {"conversation_id": "talk"}
    client.post("memories/batch", {"items": [{"content": c, "source": source} for c in said]})

    found = client.post("memories/search", {"query": "Dolomites", "limit": 10}).json()["results"]

    lexical = {hit["memory"]["content"]: hit["signals"]["lexical"] for hit in found}
    own, near, far, away = lexical[said[1]], lexical[said[2]], lexical[said[4]], lexical[said[5]]
    assert own > near == lexical[said[0]] > far > away == 0


def test_a_revised_turn_keeps_what_was_said_around_it(client: ApiClient) -> None:
    source = {"conversation_id": "talk"}
    items = [{"content": c, "source": source} for c in ("The Dolomites?", "Yes, last summer.")]
    second = client.post("memories/batch", {"items": items}).json()["items"][1]

    client.patch(f"memories/{second['id']}", {"content": "Yes, in August."})

    for word, expected in (("Dolomites", True), ("August", True), ("summer", False)):
        hits = client.post("memories/search", {"query": word, "limit": 9}).json()["results"]
        [hit] = [hit for hit in hits if hit["memory"]["id"] == second["id"]]
        assert (hit["signals"]["lexical"] > 0) is expected, word
