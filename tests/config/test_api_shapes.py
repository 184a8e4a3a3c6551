"""The API's answers, field by field, as in the contract."""

import re

import pytest

from accounts.models import Space
from memory.models import Memory
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import remember

MEMORY_FIELDS = {
    "id", "short_id", "content", "memory_type", "tags", "topics", "importance", "time_coef",
    "current_importance", "facets", "core", "pinned", "status", "created_at", "last_active_at",
    "use_count", "expires_at", "revision", "source", "event_at", "event_precision", "valid_from",
    "valid_to",
}  # fmt: skip


def test_memory_has_the_fields_of_the_contract_and_times_in_utc(key: MakeKey, space: Space) -> None:
    facets = {"P": 0.5, "I": 0.4, "J": 0.6, "valence": 0.2, "intensity": 0.2}
    body = {
        "content": "User likes pizza",
        "facets": facets,
        "tags": ["food", "Food ", "italy"],
        "created_at": "2026-02-18T14:30:00+02:00",
        "source": {"speaker": "Jaz", "conversation_id": "c1"},
    }
    memory = ApiClient(key()).post("memories", body).json()

    assert set(memory) >= MEMORY_FIELDS
    assert memory["created_at"] == "2026-02-18T12:30:00Z"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", memory["expires_at"])
    assert memory["short_id"] == memory["id"][:8]
    assert memory["tags"] == ["food", "italy"]
    assert memory["facets"] == facets | {"E": 0.1}
    assert memory["current_importance"] == pytest.approx(memory["importance"] * memory["time_coef"])
    assert memory["source"]["role"] == "user"
    assert memory["source"]["conversation_id"] == "c1"


def test_short_and_whole_id_name_the_same_memory(key: MakeKey, space: Space) -> None:
    memory = remember(space, "User likes pizza")
    client = ApiClient(key())

    by_short = client.get(f"memories/{memory.short_id}")
    by_whole = client.get(f"memories/{memory.pk}")

    assert by_short.status_code == by_whole.status_code == 200
    assert by_short.json()["id"] == by_whole.json()["id"] == str(memory.pk)


def test_search_answers_as_the_contract_says(key: MakeKey, space: Space) -> None:
    remember(space, "User likes pizza")

    found = ApiClient(key()).post("memories/search", {"query": "pizza"}).json()

    assert set(found) >= {"query", "profile", "took_ms", "results"}
    assert (found["query"], found["profile"]) == ("pizza", "hybrid")
    [hit] = found["results"]
    assert set(hit) >= {"memory", "similarity", "match", "score", "signals", "contributions"}
    assert set(hit["signals"]) >= {"semantic", "lexical", "recency", "importance"}
    assert sum(hit["contributions"].values()) == pytest.approx(hit["score"], abs=1e-9)
    assert re.fullmatch(r"\d{1,3}% match", hit["match"])


def test_same_idempotency_key_answers_the_first_memory(key: MakeKey, space: Space) -> None:
    client = ApiClient(key())
    first, again, other = (
        client.post("memories", {"content": content}, headers={"Idempotency-Key": header})
        for content, header in (("one", "k"), ("two", "k"), ("three", "another"))
    )

    assert first.json()["id"] == again.json()["id"] != other.json()["id"]
    assert again.json()["content"] == "one"
    for bad in ("", "x" * 201):
        refused = client.post("memories", {"content": "x"}, headers={"Idempotency-Key": bad})
        assert refused.status_code == 422, bad
    assert Memory.objects.count() == 2
