"""Filters by metadata in a search and in a list: operators, types, nested keys, wrong filters."""

import json
from itertools import product
from typing import Any, Literal
from unicodedata import normalize

import pytest
from django.db import connection

from accounts.models import Space
from memory.models import Memory
from tests.conftest import Answer, ApiClient, MakeKey
from tests.memory.writing import remember

Form = Literal["NFC", "NFD"]
STORED: dict[str, dict[str, Any]] = {
    "five": {"n": 5, "topic": "house", "to": {"city": "Porto", "rooms": 3}},
    "nine": {"n": 9.5, "topic": "House"},
    "text": {"n": "7", "topic": "boathouse 100%", "tags": ["red", "blue"], "day": "2026-03-05"},
    "list": {"n": [1, 9], "tags": "reddish", "day": "2026-04-01"},
    "null": {"n": None, "yes": True, "a.b": 1, "a": {"b": 2}},
    "bare": {},
    "odd": {'qu"ote\\ $': "x", "n": {"deep": 8}, "smile": "so 😀 good", "%(space)s": "%s"},
}


@pytest.fixture
def api(key: MakeKey, space: Space) -> ApiClient:
    for name, metadata in STORED.items():
        remember(space, f"User likes pizza {name}", metadata=metadata)
    return ApiClient(key())


def listed(api: ApiClient, metadata: Any) -> Answer:
    return api.get("memories", metadata=json.dumps(metadata))


def searched(api: ApiClient, metadata: Any) -> Answer:
    return api.post("memories/search", {"query": "pizza", "limit": 50, "metadata": metadata})


FOUND: list[tuple[dict[str, Any], str]] = [
    ({}, "five nine text list null bare odd"),
    ({"topic": "house"}, "five"),
    ({"topic": {"eq": "house"}}, "five"),
    ({"n": 5}, "five"),
    ({"n": 5.0}, "five"),
    ({"n": 7}, ""),
    ({"n": "7"}, "text"),
    ({"n": None}, "null"),
    ({"yes": True}, "null"),
    ({"yes": 1}, ""),
    ({"n": {"ne": 5}}, "nine text list null bare odd"),
    ({"n": {"in": [5, "7", None]}}, "five text null"),
    ({"n": {"gt": 5}}, "nine"),
    ({"n": {"gte": 5}}, "five nine"),
    ({"n": {"gte": 5, "lt": 9}}, "five"),
    ({"n": {"lte": -1}}, ""),
    ({"n": {"gte": "6"}}, "text"),
    ({"day": {"gte": "2026-03-05", "lt": "2026-04"}}, "text"),
    ({"topic": {"contains": "house"}}, "five text"),
    ({"topic": {"contains": "100%"}}, "text"),
    ({"topic": {"contains": "h.use"}}, ""),
    ({"tags": {"contains": "red"}}, "text list"),
    ({"tags": {"contains": "re"}}, "list"),
    ({"n": {"contains": 9}}, "list"),
    ({"n": {"exists": True}}, "five nine text list null odd"),
    ({"n": {"exists": False}}, "bare"),
    ({"to.city": "Porto"}, "five"),
    ({"to.rooms": {"gt": 2}, "topic": "house"}, "five"),
    ({"to.city": {"exists": False}, "topic": {"exists": True}}, "nine text"),
    ({"n.deep": {"lte": 8}}, "odd"),
    ({"a.b": 1}, "null"),
    ({"a.b": 2}, "null"),
    ({"a.b": {"ne": 2}, "yes": True}, ""),
    ({'qu"ote\\ $': "x"}, "odd"),
    ({'qu"ote\\ $': {"contains": "x"}}, "odd"),
    ({"smile": {"contains": "😀"}}, "odd"),
    ({"n'; DROP TABLE x; --": {"gt": 1}}, ""),
    ({"%(space)s": "%s"}, "odd"),
    ({"%(space)s": {"contains": "%"}}, "odd"),
]


def test_a_filter_finds_the_same_in_a_list_and_in_a_search(api: ApiClient) -> None:
    for metadata, wanted in FOUND:
        in_list = [one["content"].split()[-1] for one in listed(api, metadata).json()["items"]]
        found = searched(api, metadata).json()["results"]
        in_search = [one["memory"]["content"].split()[-1] for one in found]
        assert sorted(in_list) == sorted(in_search) == sorted(wanted.split()), metadata


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
@pytest.mark.parametrize(
    "metadata",
    [
        '{"größe": "Köln"}',
        '{"größe": {"in": ["Köln"]}}',
        '{"größe": {"contains": "öl"}}',
        '{"größe": {"gte": "Köln"}}',
        '{"wörter": {"contains": "süß"}}',
        '{"größe": {"exists": true}}',
    ],
)
def test_a_filter_finds_letters_in_either_form_and_they_stay_as_they_were_sent(
    space: Space, key: MakeKey, metadata: str, stored: Form, asked: Form
) -> None:
    sent = json.loads(normalize(stored, '{"größe": "Köln", "wörter": ["süß"]}'))
    api = ApiClient(key())
    api.post("memories", {"content": "User likes pizza", "metadata": sent})

    [found] = listed(api, json.loads(normalize(asked, metadata))).json()["items"]

    assert found["metadata"] == sent


REFUSED: list[tuple[Any, str]] = [
    ({"n": {"gtee": 5}}, "unknown operator “gtee”; use one of eq, ne, in"),
    ({"to": {"city": "Porto"}}, "“to.name”"),
    ({"n": {}}, "no operator; use one of eq"),
    ({"n": {"gt": True}}, "gt: must be a number or a text"),
    ({"n": {"lt": None}}, "lt: must be a number or a text"),
    ({"n": {"lt": [1]}}, "lt: must be a number or a text"),
    ({"n": {"in": 5}}, "in: must be a list"),
    ({"n": {"in": []}}, "in: must be a list of one value or more"),
    ({"n": {"in": [[1]]}}, "must be a text, a number, true, false or null"),
    ({"n": [5]}, "must be a text, a number, true, false or null"),
    ({"n": {"exists": "yes"}}, "exists: must be true or false"),
    ({"n": {"contains": ""}}, "contains: must not be empty"),
    ({".".join("abcdefg"): 1}, "at most 5 nested keys"),
    ({str(n): n for n in range(51)}, "at most 50 keys"),
    ({"n": "x" * 9000}, "at most 8192 characters"),
    ({"n": "\x00"}, "NUL"),
    ([], "metadata"),
    ("house", "metadata"),
]


def test_a_wrong_filter_is_refused(key: MakeKey, space: Space) -> None:
    api = ApiClient(key())
    for (metadata, message), ask in product(REFUSED, (listed, searched)):
        answer = ask(api, metadata)
        assert answer.status_code == 422, (metadata, answer.content)
        assert answer.json()["errors"][0]["field"].startswith("metadata")
        assert message in answer.json()["detail"]


def test_a_filter_of_a_list_is_json(api: ApiClient) -> None:
    for text in ("topic=house", "{", "NaN", '{"n": NaN}', '{"n": 1e999}'):
        answer = api.get("memories", metadata=text)
        assert answer.status_code == 422, text


def test_one_of_many_memories_is_found_by_the_index(key: MakeKey, space: Space) -> None:
    one = remember(space, "The boiler is in the cellar", metadata={"topic": "house"})
    others = (
        Memory(
            space=space,
            short_id=f"{number:08x}",
            content=f"Note {number}",
            memory_type="fact",
            importance=0.5,
            metadata={"topic": f"topic {number}"},
            search="",
        )
        for number in range(1000)
    )
    Memory.objects.bulk_create(others)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_memory")
    rows = Memory.objects.in_space(space).filter(metadata__contains={"topic": "house"})

    assert list(rows) == [one]
    assert "memory_metadata" in rows.explain()
