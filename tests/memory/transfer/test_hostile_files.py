"""Files that mean harm to those who import them: small ones that grow, and odd values."""

import json
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from accounts.models import Space
from chat.models import Message
from foundation.errors import InvalidArguments
from foundation.texts import json_limits
from memory.drafts import MAX_CONTENT
from memory.jobs.services import ERROR_LENGTH
from memory.models import JobState, Memory
from memory.transfer import documents
from memory.transfer.foreign_records import read
from memory.transfer.importing import REASON_LENGTH, SHOWN
from memory.transfer.legacy_records import memory_line
from memory.transfer.rows import MAX_DEPTH, MAX_TEXT
from tests.conftest import ApiClient, MakeKey
from tests.memory.transfer.spaces import imported
from tests.memory.transfer.test_files import HEADER, a_memory, lines
from tests.memory.writing import NOW

END = {"kind": "end"}
AT = "2026-01-02T00:00:00Z"


def nested(levels: int) -> Any:
    return json.loads('{"a":' * levels + "1" + "}" * levels)


def wrong(space: Space, *rows: Any) -> list[str]:
    """The reasons why rows of an export are wrong."""
    job = imported(space, lines(HEADER, *rows, END))
    return [one["reason"] for one in job.result["wrong"]]


@pytest.mark.django_db
def test_reasons_stay_short_whatever_they_quote(space: Space) -> None:
    long = "x" * 100_000
    rows = [a_memory(**{long: 1}), a_memory(id=long), {"kind": "event", "action": long}]
    job = imported(space, lines(HEADER, *rows * SHOWN, END))

    assert job.result["wrong_count"] == 3 * SHOWN
    assert len(job.result["wrong"]) == SHOWN
    assert max(len(one["reason"]) for one in job.result["wrong"]) == REASON_LENGTH


@pytest.mark.django_db
@pytest.mark.parametrize(
    "value",
    [
        {"x" * 10_000: {str(number): 1 for number in range(1000)}},
        {"x" * (MAX_CONTENT + 1): 1},
        json.loads(f'{{"{"x" * 1000}":' * 900 + "1" + "}" * 900),
        [1] * MAX_CONTENT,
    ],
)
def test_a_small_value_with_a_huge_text_is_refused(space: Space, value: Any) -> None:
    job = imported(space, lines({"namespace": ["a"], "key": "k", "value": value}))

    [one] = job.result["wrong"]
    assert one["reason"].startswith("value: has ")
    assert str(MAX_CONTENT) in one["reason"]


@pytest.mark.django_db
def test_what_no_page_could_show_is_refused(space: Space, key: MakeKey) -> None:
    conversation, deep = str(uuid4()), nested(900)
    message = {
        "kind": "message", "conversation_id": conversation, "role": "assistant", "content": "Hello",
        "created_at": AT, "state": "done",
    }  # fmt: skip
    call = {"name": "x", "arguments": deep, "text": "", "ok": True, "memory": None}
    rows = [
        message | {"id": str(uuid4()), "position": place, **more}
        for place, more in enumerate(
            [{}, {"uses": deep}, {"tool_calls": [call]}, {"content": "x" * (MAX_TEXT + 1)}]
        )
    ]
    first = {
        "kind": "conversation", "id": conversation, "title": "t", "created_at": AT,
        "updated_at": AT,
    }  # fmt: skip

    assert wrong(space, first, *rows) == [
        *[f"is nested more than {MAX_DEPTH} levels deep"] * 2,
        f"contains a text of more than {MAX_TEXT} characters",
    ]
    assert Message.objects.get(space=space).error_code == ""
    answer = ApiClient(key()).get(f"conversations/{conversation}")
    assert (answer.status_code, answer.json()["system_prompt"]) == (200, "")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (a_memory(importance=10**400), "importance: is too large"),
        (a_memory(use_count=10**30), "use_count"),
        (a_memory(tags=[f"t{number}" for number in range(101)]), "tags: must be at most 100"),
        (a_memory(topics=[f"t{number}" for number in range(101)]), "tags: must be at most 100"),
        (
            {"kind": "assessment", "id": str(uuid4()), "user_message": "x" * (MAX_CONTENT + 1),
             "assistant_response": "", "created_at": AT, "state": "queued"},
            "user_message: longer than",
        ),
    ],
)  # fmt: skip
def test_values_that_are_too_large_are_wrong_lines(
    space: Space, row: dict[str, Any], reason: str
) -> None:
    assert [one.startswith(reason) for one in wrong(space, row)] == [True]


@pytest.mark.django_db
def test_memories_that_supersede_each_other_end_nothing(space: Space, key: MakeKey) -> None:
    one, other = str(uuid4()), str(uuid4())
    binned = {"status": "binned", "binned_at": AT, "valid_to": AT, "bin_reason": "superseded"}
    rows = [
        a_memory(id=one, superseded_by=other, **binned),
        a_memory(id=other, superseded_by=one, **binned),
        a_memory(superseded_by=one),
    ]
    api = ApiClient(key())

    assert wrong(space, *rows) == []
    for path in ("memories", "memories?status=binned", f"memories/{one}", f"memories/{other}"):
        assert api.get(path).status_code == 200
    assert api.post("memories/search", {"query": "pizza"}).status_code == 200
    assert api.post(f"memories/{one}/restore", {}).status_code == 200
    assert api.call("DELETE", f"memories/{one}").status_code in {200, 204}


@pytest.mark.django_db
def test_ids_of_another_space_lead_to_no_row_of_it(space: Space, other_space: Space) -> None:
    imported(other_space, lines(HEADER, a_memory(), END))
    theirs = Memory.objects.in_space(other_space).get()
    revision = {
        "kind": "revision", "memory_id": str(theirs.pk), "number": 1,
        "content": "Stolen", "memory_type": "fact", "importance": 0.5, "actor_type": "user",
    }  # fmt: skip

    assert [reason.partition(":")[0] for reason in wrong(space, revision)] == ["memory_id"]
    assert wrong(space, a_memory(id=str(theirs.pk), content="Stolen")) == []

    theirs.refresh_from_db()
    assert theirs.content == "User likes pizza"
    assert Memory.objects.in_space(space).get().pk != theirs.pk


@pytest.mark.parametrize("dense", ["[" + "[]," * 2_000 + "1]", "[" + "1," * 20_000 + "1]"])
def test_json_with_too_many_values_is_not_read(dense: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_limits, "MAX_CONTAINERS", 1_000)
    monkeypatch.setattr(json_limits, "MAX_PARTS", 10_000)

    with pytest.raises(InvalidArguments, match="too many values"):
        list(documents.found_in([dense.encode()]))


# --- Anything ---------------------------------------------------------------------------------

_NAMES = [
    "memory", "content", "text", "fact", "label", "value", "namespace", "prefix", "key", "id",
    "uuid", "user_id", "created_at", "timestamp", "valid_at", "invalid_at", "updated_at", "tags",
    "categories", "metadata", "run_id", "session_id", "agent_id", "app_id", "role", "importance",
    "memory_type", "mapping", "current_node", "chat_messages", "conversations_memory",
    "project_memories", "results", "edges", "message", "author", "parts", "parent", "sender",
    "title", "name", "create_time", "conversation_id", "a", "b",
]  # fmt: skip
_PLAIN = some.one_of(
    some.none(), some.booleans(), some.floats(allow_nan=False), some.text(max_size=8),
    some.integers(), some.sampled_from([10**400, -(10**30), 1e308, "a", "user", "b", "2026-01-01"]),
)  # fmt: skip
_ANYTHING = some.recursive(
    _PLAIN,
    lambda inner: some.one_of(
        some.lists(inner, max_size=4),
        some.dictionaries(some.sampled_from(_NAMES), inner, max_size=6),
    ),
    max_leaves=25,
)


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(_ANYTHING)
def test_any_value_is_read_or_refused(space: Space, value: Any) -> None:
    """Nothing but these two errors leaves the readers, so no file ends a worker's step."""
    data = json.dumps([value]).encode()
    try:
        found = list(documents.found_in([data]))
    except InvalidArguments:
        return
    for record in found:
        if not isinstance(record, dict):
            continue
        try:
            memory_line(read(record).record, space, now=NOW)
        except ValueError:
            continue


@pytest.mark.django_db
def test_an_odd_file_ends_its_import(space: Space) -> None:
    odd = [{"mapping": {"a": {"parent": ["b"]}}, "current_node": {"a": 1}, "id": {"x": 1}}]

    job = imported(space, json.dumps(odd).encode())

    assert (job.state, job.error[:20]) == (JobState.FAILED, "Nothing was imported")


@pytest.mark.django_db
def test_the_error_of_a_file_stays_short_whatever_it_quotes(space: Space) -> None:
    job = imported(space, lines(HEADER | {"version": "x" * 100_000}, END))

    assert job.state == JobState.FAILED
    assert len(job.error) == ERROR_LENGTH
