"""Imported files: invalid lines, taken ids, cut ends, and the formats of earlier systems."""

import gzip
import json
import pickle
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import InternalError, connection

from accounts.models import Space
from assessor.lessons import Lesson
from assessor.models import Assessment, State
from chat.models import Conversation, Message
from foundation.errors import NotFound
from memory.drafts import MemoryChange
from memory.jobs.running import work_at
from memory.models import JobState, Memory, MemoryEvent, MemoryRevision
from memory.models.policies import current_policy
from memory.policies.services import change_policy
from memory.store.services import revise_memory
from tests.assessor.outbox import taught
from tests.conftest import ApiClient, MakeKey
from tests.memory.tools.tool_calls import call
from tests.memory.transfer.spaces import begun, contents, exported, imported, new_space, unlike
from tests.memory.writing import ALICE, NOW, actions, remember


def lines(*records: Any) -> bytes:
    return "\n".join(r if isinstance(r, str) else json.dumps(r) for r in records).encode()


def revised(space: Space, **source: Any) -> Memory:
    memory = remember(space, "User likes pizza", source=source)
    change = MemoryChange(content="User likes pasta")
    return revise_memory(space=space, memory_id=memory.pk, change=change, actor=ALICE, now=NOW)


def test_where_ids_are_taken_new_ones_are_made_and_all_that_names_them_follows(
    space: Space, other_space: Space
) -> None:
    conversation = Conversation.objects.create(space=space, title="Talk")
    memory = revised(space, conversation_id=str(conversation.pk))
    assessment = Assessment.objects.create(space=space, user_message="Hi")
    taught(assessment, memory)
    Message.objects.create(
        space=space, conversation=conversation, position=1, role="user", assessment=assessment
    )
    before, file = contents(space), exported(space)

    job = imported(other_space, file)

    assert (job.state, job.result["wrong"]) == (JobState.DONE, [])
    assert unlike(before, contents(space)) == []
    copy = Memory.objects.in_space(other_space).get()
    talk = Conversation.objects.get(space=other_space)
    message = Message.objects.get(space=other_space)
    assert copy.pk != memory.pk
    assert copy.short_id == copy.pk.hex[:8]
    assert copy.source_conversation == str(talk.pk)
    assert MemoryRevision.objects.get(space=other_space).memory_id == copy.pk
    assert actions(copy) == ["created", "revised"]
    assert (message.conversation_id, message.assessment_id) == (
        talk.pk, Lesson.objects.get(space=other_space, memory=copy).assessment_id,
    )  # fmt: skip
    copied = contents(other_space)
    imported(other_space, file)
    assert unlike(copied, contents(other_space)) == []


def test_a_file_of_before_has_no_ids_of_actions(space: Space, other_space: Space) -> None:
    revised(space)
    records = [json.loads(line) for line in exported(space).splitlines()]
    ids = [record.pop("action_id") for record in records if "action_id" in record]

    assert imported(other_space, lines(*records)).result["wrong"] == []

    assert len(ids) == 3
    assert all(ids)
    events = MemoryEvent.objects.in_space(other_space)
    assert list(events.values_list("action_id", flat=True)) == [None, None]
    assert MemoryRevision.objects.get(space=other_space).action_id is None


def test_a_space_in_use_keeps_its_own_rules_and_memories(space: Space) -> None:
    remember(space, "User likes pizza")
    file = exported(space)
    other = new_space("used")
    change_policy(space=other, changes={"capacity": 7}, actor=ALICE, now=NOW)
    own = remember(other, "User likes tea")

    imported(other, file)

    assert current_policy(other).document.capacity == 7
    assert Memory.objects.in_space(other).count() == 2
    assert Memory.objects.in_space(other).get(pk=own.pk).content == "User likes tea"


def a_memory(**changes: Any) -> dict[str, Any]:
    line = {"kind": "memory", "id": str(uuid4()), "content": "User likes pizza", "importance": 0.5,
            "memory_type": "fact"}  # fmt: skip
    return {**line, **changes}


HEADER = {"format": "ebb-export", "version": 1}
WRONG: dict[str, Any] = {
    "nonsense": "not a JSON object",
    '["memory"]': "not a JSON object",
    '{"kind": "memory", "content": NaN}': "not a JSON object",
    "[" * 100_000: "not a JSON object",
    '{"kind": "rumour"}': "kind",
    json.dumps(a_memory(importance=1.5)): "importance",
    json.dumps(a_memory(created_at="2999-01-01T00:00:00Z")): "created_at: must not be more than",
    json.dumps(a_memory(created_at="0001-01-01T00:00:00Z")): "created_at: must not be before 1970",
    json.dumps(a_memory(importance="0.5")): "importance: must be a number",
    json.dumps(a_memory(memory_type="rumour")): "memory_type",
    json.dumps(a_memory(content="")): "content: must not be empty",
    json.dumps(a_memory(content="x" * 20_001)): "content: longer",
    json.dumps(a_memory(content="a\x00b")): "NUL",
    json.dumps(a_memory(content="\ud800")): "Unicode",
    json.dumps(a_memory(facets={"P": 7})).replace("7", "1e999"):
        "contains a value that is not a number",
    json.dumps(a_memory(facets={"P": 7})): "facets.P",
    json.dumps(a_memory(id="pizza")): "id",
    json.dumps(a_memory(created_at="2026-02-18T12:00:00")): "time zone",
    json.dumps(a_memory(created_at="0001-01-01T00:00:00+14:00")): "years 1 and 9999",
    json.dumps(a_memory(status="binned")): "binned_at",
    json.dumps(a_memory(mood="glad")): "mood: unknown field",
    json.dumps(a_memory(tags="food")): "tags: must be a list",
    json.dumps(a_memory(use_count=-1)): "use_count",
    '{"kind": "memory", "content": "User likes pizza"}': "is missing",
    json.dumps({"kind": "revision", "memory_id": str(uuid4()), "number": 1, "content": "x",
                "memory_type": "fact", "importance": 0.5, "actor_type": "user"}):
        "memory_id: unknown memory",
}  # fmt: skip


def test_each_wrong_line_is_told_by_its_number_and_the_rest_goes_in(space: Space) -> None:
    file = lines(HEADER, a_memory(), *WRONG, "", a_memory(), {"kind": "end"})

    job = imported(space, file)

    assert job.state == JobState.DONE
    assert Memory.objects.in_space(space).count() == 2
    told = {wrong["line"]: wrong["reason"] for wrong in job.result["wrong"]}
    assert sorted(told) == list(range(3, 3 + len(WRONG)))
    for number, reason in enumerate(WRONG.values(), start=3):
        assert reason in told[number]


@pytest.mark.parametrize("wrong", [*WRONG, json.dumps(a_memory(id=str(UUID(int=1))))])
def test_or_nothing_goes_in(space: Space, wrong: str) -> None:
    first = a_memory(id=str(UUID(int=1)))

    job = imported(space, lines(HEADER, first, wrong, {"kind": "end"}), on_error="abort")

    assert job.state == JobState.FAILED
    assert [line["line"] for line in job.result["wrong"]] == [3]
    assert not Memory.objects.in_space(space).exists()


def test_a_row_that_the_tables_do_not_take_is_told_apart_from_its_batch(space: Space) -> None:
    assessment = str(uuid4())
    twice = [a_memory(source_assessment=assessment) for _ in range(2)]

    job = imported(space, lines(HEADER, a_memory(), *twice, a_memory(), {"kind": "end"}))

    assert (job.state, Memory.objects.in_space(space).count()) == (JobState.DONE, 3)
    assert [wrong["line"] for wrong in job.result["wrong"]] == [4]


def test_an_error_inside_the_database_is_not_blamed_on_a_line(space: Space) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION pg_temp.fail() RETURNS trigger LANGUAGE plpgsql AS"
            " $$BEGIN RAISE 'broken' USING ERRCODE = 'internal_error', DETAIL = 'a page'; END$$"
        )
        cursor.execute(
            "CREATE TRIGGER fails BEFORE INSERT ON memory_memory"
            " FOR EACH ROW EXECUTE FUNCTION pg_temp.fail()"
        )

    with pytest.raises(InternalError, match="broken"):
        imported(space, lines(HEADER, a_memory(), {"kind": "end"}))


def test_a_file_that_was_cut_off_or_is_newer_is_not_taken_for_whole(space: Space) -> None:
    remember(space, "User likes pizza")
    cut = imported(new_space("cut"), b"\n".join(exported(space).splitlines()[:-1]))
    newer = imported(new_space("newer"), lines(HEADER | {"version": 2}, a_memory()))

    assert "ends before" in cut.result["wrong"][0]["reason"]
    assert (newer.state, Memory.objects.filter(space__slug="newer").count()) == ("failed", 0)
    assert "version 2" in newer.error


@pytest.mark.parametrize("on_error", ["skip", "abort"])
@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (gzip.compress(b'{"content": "User likes pizza"}', mtime=0), "unpack it first"),
        ('{"content": "User likes pizza"}'.encode("utf-16"), "write it as UTF-8"),
        (b'[{"content": "User likes pizza"}', "not valid JSON: it ends in the middle of a record"),
        (b"[[[[", "not valid JSON: it ends in the middle of a record"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'[{"content": User}]', "not valid JSON: “User}]” is no value"),
        (b"\n\n", "Ebb found no memory in this file"),
        (b"[]", "Ebb found no memory in this file"),
        *(
            (pickle.dumps(memories, protocol), "it is a pickle")
            for memories in ([{"content": "User likes pizza"}], {1: {"content": "pizza"}})
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_refused_with_what_can_be_done(
    space: Space, file: bytes, reason: str, on_error: str
) -> None:
    job = imported(space, file, on_error=on_error)

    assert job.state == JobState.FAILED
    assert reason in job.error
    assert not Memory.objects.in_space(space).exists()


def test_a_worker_that_dies_leaves_its_place_to_the_next(space: Space) -> None:
    other = new_space("resumed")
    file = lines(HEADER, *(a_memory(content=f"pizza {n}") for n in range(230)), {"kind": "end"})
    job = begun(other, [file[:5000], file[5000:]])
    job.parameters["bytes"] = "not a number"  # what a worker dies of, after its first writes
    with pytest.raises(ValueError, match="invalid literal"):
        work_at(job)
    Memory.objects.in_space(other).delete()
    job.refresh_from_db()

    work_at(job)

    job.refresh_from_db()
    assert (job.state, job.result["line"]) == (JobState.DONE, 232)
    assert Memory.objects.in_space(other).count() == 230


def test_what_was_under_way_has_nobody_at_it_here(space: Space) -> None:
    conversation = Conversation.objects.create(space=space)
    Message.objects.create(
        space=space, conversation=conversation, position=1, role="assistant", state="streaming"
    )
    Assessment.objects.create(space=space, user_message="Hi", state=State.RUNNING, leased_until=NOW)
    other = new_space("other-place")

    imported(other, exported(space))

    assert Message.objects.get(space=other).state == Message.State.STOPPED
    assessment = Assessment.objects.get(space=other)
    assert (assessment.state, assessment.leased_until) == (State.QUEUED, None)


def test_tool_calls_that_a_page_could_not_show_are_refused(space: Space) -> None:
    conversation = Conversation.objects.create(space=space)
    Message.objects.create(
        space=space, conversation=conversation, position=1, role="assistant", state="done"
    )
    *first, last = [json.loads(line) for line in exported(space).splitlines()]
    [message] = [one for one in first if one.get("kind") == "message"]
    message["tool_calls"] = [{"memory": 5}]
    other = new_space("shown")

    job = imported(other, lines(*first, last))

    [wrong] = job.result["wrong"]
    assert "tool_calls.0" in wrong["reason"]
    assert not Message.objects.in_space(other).exists()


def test_memories_of_seed_000_and_records_of_seed_002(space: Space) -> None:
    whole = uuid4()
    file = lines(
        {"id": "f926ff7f", "content": "User likes pizza", "role": "assistant", "tags": ["Food"],
         "timestamp": "2026-02-18T09:30:00.123456", "embedding": [0.1, 0.2]},
        {"id": str(whole), "content": "User lives in Lisbon", "role": "user", "embedding": None,
         "timestamp": "2026-01-01T00:00:00+01:00", "tags": []},
        {"memory_type": "identity", "content": "User's name is Jaz"},
        {"content": "A legacy record without a type"},
        {"id": "x", "content": "Too much", "memory_type": "fact", "importance": 1.5},
        {"id": "y", "content": "When?", "timestamp": "yesterday"},
    )  # fmt: skip

    job = imported(space, file)

    assert [wrong["line"] for wrong in job.result["wrong"]] == [5, 6]
    by_text = {memory.content: memory for memory in Memory.objects.in_space(space)}
    pizza, lisbon = by_text["User likes pizza"], by_text["User lives in Lisbon"]
    name, plain = by_text["User's name is Jaz"], by_text["A legacy record without a type"]
    assert (pizza.short_id, pizza.importance, pizza.tags, pizza.source_role) == (
        "f926ff7f", 0.3, ["food"], "assistant",
    )  # fmt: skip
    assert pizza.created_at == datetime(2026, 2, 18, 9, 30, 0, 123456, tzinfo=UTC)
    assert (lisbon.pk, lisbon.memory_type, lisbon.importance) == (whole, "observation", 0.3)
    assert (name.memory_type, name.importance) == ("identity", 1.0)
    assert (plain.memory_type, plain.importance) == ("observation", 0.3)
    assert actions(pizza) == ["created"]
    assert (name.expires_at, lisbon.expires_at is not None) == (None, True)
    again = imported(space, file)
    assert again.result["counts"]["memory"] == {"new": 0, "known": 4}
    assert MemoryEvent.objects.in_space(space).count() == 4


@pytest.mark.parametrize("importance", [0.9, 0, 1.5, 7, "high", None, [], "nan"])
def test_the_importance_of_seed_000_is_ignored(space: Space, importance: object) -> None:
    """Seed 000, "Migration Strategy": "Load and ignore the `importance` field"; "Graceful backward
    compatibility"."""
    job = imported(space, lines(
        {"id": "abc123", "content": "User likes pizza", "role": "user", "importance": importance},
    ))  # fmt: skip

    assert job.result["wrong"] == []
    [memory] = Memory.objects.in_space(space)
    assert (memory.memory_type, memory.importance) == ("observation", 0.3)


def test_the_importance_of_seed_002_is_kept(space: Space) -> None:
    """Seed 002, In scope: "Persist `memory_type` and `importance` in runtime memory records." """
    record = {"content": "User likes pizza", "memory_type": "preference"}
    job = imported(space, lines(record | {"importance": 0.9}, record | {"importance": "high"}))

    assert [wrong["line"] for wrong in job.result["wrong"]] == [2]
    assert [memory.importance for memory in Memory.objects.in_space(space)] == [0.9]


def test_six_digit_ids_of_seed_000_stay_usable(space: Space, key: MakeKey) -> None:
    """Seed 000, "Search Result Format": "- [2026-02-18] User likes pizza (92% match, id: abc123)":
    whoever noted this id can still use it, with every tool and in links."""
    file = lines({"id": "abc123", "content": "User likes pizza", "role": "user"})
    imported(space, file)
    [pizza] = Memory.objects.in_space(space)
    api = ApiClient(key(space))

    read = call(space, "memory_read", memory_id="abc123")
    assert read.data["id"] == str(pizza.pk)
    changed = call(space, "update_memory", memory_id="abc123", content="User likes pasta")
    assert changed.data["content"] == "User likes pasta"
    assert api.get("memories/abc123").json()["id"] == str(pizza.pk)
    events = api.get("history?memory_id=abc123").json()["items"]
    assert {event["memory_id"] for event in events} == {str(pizza.pk)}
    assert call(space, "forget", memory_id="abc123").data["status"] == "binned"
    assert imported(space, file).result["counts"]["memory"] == {"new": 0, "known": 1}
    with pytest.raises(NotFound):
        call(space, "memory_read", memory_id="abc124")
    with pytest.raises(NotFound):
        call(new_space("other-place"), "memory_read", memory_id="abc123")


def test_a_legacy_file_is_imported_for_each_user(space: Space, key: MakeKey) -> None:
    """The six-digit id stays the first user's; each user's second import finds the first."""
    api, file = ApiClient(key(space)), lines({"id": "abc123", "content": "User likes pizza"})
    counts = [
        api.post(f"import?user_id={user}", file).json()["result"]["counts"]["memory"]
        for user in ("ana", "ben", "ben", "ana")
    ]

    assert counts == [{"new": 1, "known": 0}] * 2 + [{"new": 0, "known": 1}] * 2
    mine = Memory.objects.in_space(space).live()
    assert {one.user_id: one.legacy_id for one in mine} == {"ana": "abc123", "ben": ""}


def test_the_alias_goes_along_in_an_export(space: Space) -> None:
    imported(space, lines({"id": "abc123", "content": "User likes pizza"}))
    other = new_space("other-place")

    imported(other, exported(space))

    assert call(other, "memory_read", memory_id="abc123").data["content"] == "User likes pizza"
