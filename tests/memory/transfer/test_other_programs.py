"""Data of other programs: each is recognised by its shape, and an import of nothing says so."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.models import Space, User
from assessor.models import Assessment, State
from assessor.tasks import assess
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import Job, JobState, Memory
from memory.transfer.documents import found_in
from memory.transfer.upload import start_import
from tests.conftest import ApiClient, MakeKey
from tests.memory.transfer.spaces import imported
from tests.memory.writing import ALICE, NOW

ALLERGY = "I'm allergic to penicillin"


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


def work(space: Space, job: Job) -> Job:
    """The job after a worker has done it."""
    taken = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=timezone.now())
    assert taken is not None
    work_at(taken)
    return Job.objects.get(pk=job.pk)


def brought(space: Space, file: bytes) -> dict[str, Memory]:
    """The memories that an import without a wrong line brings, by their texts."""
    job = imported(space, file)
    assert (job.state, job.result["wrong"], job.error) == (JobState.DONE, [], "")
    return {memory.content: memory for memory in Memory.objects.in_space(space)}


MEM0: list[dict[str, Any]] = [
    {"id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e", "memory": "User likes pizza",
     "user_id": "alice", "agent_id": None, "run_id": "talk", "app_id": "shop",
     "metadata": {"source": "chat"}, "categories": ["Food"], "score": 0.5,
     "created_at": "2024-07-20T01:30:36.275141-07:00", "updated_at": None},
    {"id": "0a14d8f0-e364-4f5c-b305-10da1f0d0878", "memory": "User has a dog",
     "metadata": None, "categories": None, "created_at": "2024-07-21"},
]  # fmt: skip


@pytest.mark.parametrize(
    "file",
    [
        as_json({"results": MEM0}),
        as_json(MEM0),
        json.dumps({"results": MEM0}, indent=2).encode(),
        b"\xef\xbb\xbf" + json.dumps(MEM0, indent=1).encode(),
        b"\n".join(map(as_json, MEM0)),
    ],
    ids=["results", "array", "indented", "byte-order-mark", "lines"],
)
def test_memories_of_mem0(space: Space, file: bytes) -> None:
    found = brought(space, file)

    pizza, dog = found["User likes pizza"], found["User has a dog"]
    assert str(pizza.pk) == MEM0[0]["id"]
    assert (pizza.user_id, pizza.agent_id, pizza.session_id) == ("alice", None, "talk")
    assert (pizza.metadata, pizza.tags) == ({"source": "chat", "app_id": "shop"}, ["food"])
    assert pizza.created_at == datetime(2024, 7, 20, 8, 30, 36, 275141, tzinfo=UTC)
    assert (dog.user_id, dog.metadata, dog.tags) == (None, {}, [])
    assert dog.created_at == datetime(2024, 7, 21, tzinfo=UTC)
    again = imported(space, file)
    assert again.result["counts"]["memory"] == {"new": 0, "known": 2}


def test_facts_of_zep_without_those_that_ended(space: Space) -> None:
    fact = {"uuid": str(uuid4()), "name": "LIKES", "created_at": "2025-01-02T03:04:05Z"}
    job = imported(space, as_json({"edges": [
        fact | {"fact": "Alice likes pizza", "valid_at": "2024-05-06T00:00:00Z"},
        fact | {"fact": "Alice lives in Rome", "invalid_at": "2025-02-03T00:00:00Z"},
    ]}))  # fmt: skip

    [memory] = Memory.objects.in_space(space)
    assert (memory.content, str(memory.pk)) == ("Alice likes pizza", fact["uuid"])
    assert memory.created_at == datetime(2024, 5, 6, tzinfo=UTC)
    [wrong] = job.result["wrong"]
    assert (wrong["line"], "2025-02-03" in wrong["reason"]) == (2, True)


def test_blocks_and_passages_of_letta(space: Space) -> None:
    blocks = {"agents": [{"name": "bot"}], "blocks": [{"label": "human", "value": "Name: Jaz"}]}
    passage = {"id": f"passage-{uuid4()}", "text": "User has a dog", "tags": ["pets"],
               "created_at": "2025-01-02T03:04:05", "agent_id": "agent-1"}  # fmt: skip

    found = brought(space, json.dumps(blocks, indent=2).encode())
    assert found["Name: Jaz"].tags == ["human"]
    dog = brought(space, as_json([passage]))["User has a dog"]
    assert (dog.tags, dog.agent_id) == (["pets"], "agent-1")
    assert dog.created_at == datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_agent_files_of_letta(space: Space) -> None:
    """Both versions of the file. The ids are places in it, which other files have, too."""
    block: dict[str, object] = {
        "limit": 20000,
        "is_template": False,
        "description": None,
        "metadata": {},
    }
    files = [
        {"agents": [{"name": "bot", "messages": [{"role": "user", "content": "Hi"}]}],
         "groups": [], "blocks": [block | {"id": "block-0", "label": "human", "value": text}],
         "files": [], "sources": [], "tools": [], "mcp_servers": [], "metadata": {}}
        for text in ("Name: Jaz", "Name: Kim")
    ]  # fmt: skip
    old = {"agent_type": "memgpt_agent", "messages": [], "tools": [], "version": "0.7.29",
           "core_memory": [block | {"label": "human", "value": "Name: Lou"}]}  # fmt: skip

    for file in (*files, old):
        found = brought(space, json.dumps(file, indent=2).encode())
    assert found.keys() == {"Name: Jaz", "Name: Kim", "Name: Lou"}
    again = imported(space, as_json(files[0]))
    assert again.result["counts"]["memory"] == {"new": 0, "known": 1}


def test_rows_and_profiles_of_langgraphs_store(space: Space) -> None:
    profile = {"kind": "Profile", "content": {"name": "Jaz", "age": 7, "likes": ["tea", "pizza"],
               "home": {"city": "Lisbon"}, "job": None}}  # fmt: skip
    row = {"created_at": "2025-01-02T03:04:05+00:00", "updated_at": None, "expires_at": None}
    found = brought(space, b"\n".join(map(as_json, [
        row | {"prefix": "memories.alice", "key": "a", "value": {"food_preference": "Pizza"}},
        row | {"prefix": "memories.alice", "key": "b", "value": as_json(profile).decode()},
    ])))  # fmt: skip

    assert found.keys() == {
        "food_preference: Pizza",
        "name: Jaz\nage: 7\nlikes: tea\nlikes: pizza\nhome.city: Lisbon",
    }
    assert found["food_preference: Pizza"].metadata == {"namespace": "memories/alice"}
    table = b'prefix,key,value,created_at\nm.bob,c,"{""text"": ""User sails""}",2025-01-02 03:04Z\n'
    sails = brought(space, table)["User sails"]
    assert sails.metadata == {"namespace": "m/bob"}
    assert sails.created_at == datetime(2025, 1, 2, 3, 4, tzinfo=UTC)


def test_items_of_langgraphs_store(space: Space) -> None:
    item = {"namespace": ["memories", "alice"], "created_at": "2025-01-02T03:04:05+00:00"}
    items = [
        item | {"key": "a", "value": {"content": "User likes pizza"}},
        item | {"key": "b", "value": {"kind": "Memory", "content": {"content": "User has a dog"}}},
        item | {"key": "c", "value": {"text": "User likes tea"}},
    ]
    found = brought(space, b"\n".join(map(as_json, items)))

    assert found.keys() == {"User likes pizza", "User has a dog", "User likes tea"}
    assert found["User has a dog"].metadata == {"namespace": "memories/alice"}
    again = imported(space, as_json(items))
    assert again.result["counts"]["memory"] == {"new": 0, "known": 3}
    wrong = imported(space, as_json([item | {"key": "d", "value": {"age": None}}]))
    assert "value: has no text" in wrong.result["wrong"][0]["reason"]


def test_memories_of_open_webui_without_their_account(space: Space) -> None:
    found = brought(space, as_json([
        {"id": str(uuid4()), "user_id": str(uuid4()), "content": "User likes pizza",
         "created_at": 1_700_000_000, "updated_at": 1_700_000_001},
    ]))  # fmt: skip

    memory = found["User likes pizza"]
    assert memory.user_id is None
    assert memory.created_at == datetime.fromtimestamp(1_700_000_000, UTC)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_rows_of_csv(space: Space, delimiter: str) -> None:
    rows = [
        ["Content", "created_at", "Tags", "importance", "user_id", "note"],
        ['"User said ""hi""\ntwice"', "2024-05-06", '"food;home"', "0.75", "alice", "x"],
        ["User has a dog", "", "", "", "", ""],
    ]
    found = brought(space, "\r\n".join(delimiter.join(row) for row in rows).encode())

    said, dog = found['User said "hi"\ntwice'], found["User has a dog"]
    assert (said.importance, said.tags, said.user_id) == (0.75, ["food", "home"], "alice")
    assert said.created_at == datetime(2024, 5, 6, tzinfo=UTC)
    assert (dog.importance, dog.tags, dog.user_id) == (0.3, [], None)


def test_a_list_of_texts(space: Space) -> None:
    assert brought(space, b'["User likes pizza"]').keys() == {"User likes pizza"}


def test_wrong_records_are_told_by_their_numbers(space: Space) -> None:
    job = imported(space, as_json([
        {"memory": "User likes pizza", "user_id": "*"},
        {"memory": "User likes tea", "metadata": {str(n): n for n in range(51)}},
        {"memory": "User likes rice"},
        7,
        {"memory": "User likes corn", "created_at": 1e300},
        {"memory": " "},
    ]))  # fmt: skip

    assert job.state == JobState.DONE
    assert [wrong["line"] for wrong in job.result["wrong"]] == [1, 2, 4, 5, 6]
    assert [memory.content for memory in Memory.objects.in_space(space)] == ["User likes rice"]


def test_an_import_of_nothing_fails_and_names_the_lines(space: Space, key: MakeKey) -> None:
    answer = ApiClient(key()).post("import", as_json({"results": [{"text": 1}, 2]}))

    assert answer.status_code == 422
    first, *lines = answer.json()["errors"]
    assert first["field"] == "body"
    assert "Nothing was imported" in first["message"]
    assert [line["field"] for line in lines] == ["line 1", "line 2"]


def test_a_record_has_a_limit_and_a_file_has_none(space: Space) -> None:
    part = b" " * 2**20
    file = [b'["User likes tea",', *[part] * 70, b'"User likes jazz"]']
    assert imported(space, file).result["counts"]["memory"]["new"] == 2

    endless = [b'["User likes soup","', *[b"a" * 2**20] * 17, b'"]']
    job = imported(space, endless)
    assert (job.state, "a record is longer than 16 MB" in job.error) == (JobState.FAILED, True)
    assert "soup" not in str(Memory.objects.in_space(space).values_list("content"))


@pytest.mark.parametrize(
    "file",
    [
        b'["a", "b"',
        b'["a",]',
        b'["a" "b"]',
        b'{"results": ["a"]',
        b'{"results": ["a"],}',
        b'{\n"results" ["a"]}',
        b'["a"] ["b"]',
        b'["a", NaN]',
        b"[" * 100_000,
        b'["\xff"]',
    ],
)
def test_a_broken_document_is_refused_whole(space: Space, file: bytes) -> None:
    job = imported(space, file)
    assert (job.state, Memory.objects.in_space(space).exists()) == (JobState.FAILED, False)


@pytest.mark.parametrize("piece", [1, 7, 2**16])
def test_a_document_is_read_in_pieces(piece: int) -> None:
    """However its bytes arrive, and wherever its lists stand among other fields."""
    said = ["日本", {"content": "a", "n": [1, -2.5e3, None, "😀"]}, 12, "b" * 70_000]
    for value in (
        said,
        {"page": 1, "results": said, "next": {}},
        {"items": said[:2], "data": said[2:]},
    ):
        for indent in (None, 1):
            data = b"\xef\xbb\xbf " + json.dumps(value, indent=indent).encode()
            parts = (data[at : at + piece] for at in range(0, len(data), piece))
            assert list(found_in(parts)) == said
    alone = {"a": 1, "b": [2]}
    assert list(found_in([json.dumps(alone).encode()])) == [alone]


def test_an_import_for_one_user_gets_no_memory_of_another(space: Space) -> None:
    job = start_import(
        space=space, chunks=[as_json(MEM0)], on_error="skip", actor=ALICE, now=NOW, user_id="bob"
    )
    work(space, job)

    [memory] = Memory.objects.in_space(space)
    assert (memory.content, memory.user_id) == ("User has a dog", "bob")


def chatgpt(*texts: str, at: float = 1_700_000_000.5, name: str = "one") -> dict[str, Any]:
    """A conversation as ChatGPT exports it: a person and the assistant in turn, and a branch that
    the person left."""
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None}}
    before = "root"
    for place, text in enumerate(texts):
        role = "assistant" if place % 2 else "user"
        nodes[f"n{place}"] = {
            "id": f"n{place}",
            "parent": before,
            "message": {
                "author": {"role": role},
                "create_time": at + place,
                "content": {"content_type": "text", "parts": [text]},
            },
        }
        before = f"n{place}"
    left = {"author": {"role": "user"}, "content": {"parts": ["I live in Rome"]}}
    nodes["left"] = {"id": "left", "parent": "root", "message": left}
    return {"title": "Talk", "create_time": at, "mapping": nodes, "current_node": before,
            "conversation_id": name}  # fmt: skip


CLAUDE: dict[str, Any] = {
    "uuid": "6d1c4a9e-8d21-4f3c-9f0a-2f4f5e6a7b8c",
    "name": "Talk",
    "created_at": "2024-05-06T07:08:09.000000Z",
    "chat_messages": [
        {"sender": "human", "text": ALLERGY, "created_at": "2024-05-06T07:08:10Z"},
        {"sender": "assistant", "text": "", "content": [{"type": "text", "text": "Noted."}]},
    ],
}


def test_conversations_of_chatgpt_are_queued_for_assessment(space: Space) -> None:
    file = as_json([chatgpt(ALLERGY, "Noted.", "thanks!", "You are welcome.")])
    job = imported(space, file)

    assert (job.state, job.result["wrong"]) == (JobState.DONE, [])
    assert job.result["counts"] == {"assessment": {"new": 2, "known": 0}}
    first, second = Assessment.objects.in_space(space).order_by("created_at")
    assert (first.user_message, first.assistant_response) == (ALLERGY, "Noted.")
    assert (second.user_message, second.state) == ("thanks!", State.QUEUED)
    assert first.created_at == datetime.fromtimestamp(1_700_000_000.5, UTC)
    assert first.source_conversation == "chatgpt:one"
    assert not Memory.objects.in_space(space).exists()

    assert Assessment.objects.in_space(space).waiting(timezone.now()).count() == 2
    assess(space.pk, str(first.pk))
    [memory] = Memory.objects.in_space(space)
    assert memory.created_at == first.created_at
    again = imported(space, file)
    assert again.result["counts"] == {"assessment": {"new": 0, "known": 2}}


def test_conversations_of_claude_are_queued_for_assessment(space: Space) -> None:
    imported(space, as_json([CLAUDE]))

    row = Assessment.objects.get(space=space)
    assert (row.user_message, row.assistant_response) == (ALLERGY, "Noted.")
    assert row.created_at == datetime(2024, 5, 6, 7, 8, 10, tzinfo=UTC)
    assert row.source_conversation == f"claude:{CLAUDE['uuid']}"


def test_memories_of_claude_are_paragraphs(space: Space) -> None:
    text = "**Work context**\n\nUser teaches physics.\n\n**Personal context**\n\nUser has a dog.\n"
    file = [{"conversations_memory": text, "project_memories": {"p1": "The boat is blue."},
             "account_uuid": str(uuid4())}]  # fmt: skip
    found = brought(space, as_json(file))
    assert found.keys() == {"User teaches physics.", "User has a dog.", "The boat is blue."}


def test_only_the_newest_exchanges_are_queued(space: Space) -> None:
    old, new = chatgpt("Old", at=1_600_000_000, name="old"), chatgpt("New", name="new")
    file = as_json([new, old])
    job = start_import(
        space=space, chunks=[file], on_error="abort", actor=ALICE, now=NOW, exchanges=1
    )
    done = work(space, job)

    assert Assessment.objects.get(space=space).user_message == "New"
    assert (done.state, done.result["wrong"], done.result["left_out"]) == (JobState.DONE, [], 1)
    assert done.done == done.total


def test_a_programs_prompt_in_a_conversation_is_ignored(space: Space) -> None:
    prompt = (
        "Create a concise title for the conversation below. Return only the title.\n\n"
        "User: I moved to Lisbon in March\nAI: Noted.\n\nTitle:"
    )
    imported(space, as_json([chatgpt(prompt, "Lisbon")]))

    row = Assessment.objects.get(space=space)
    assert (row.state, "Not assessed" in row.reasoning) == (State.IGNORED, True)


def test_a_conversation_without_end_is_read_once(space: Space) -> None:
    talk = chatgpt(ALLERGY)
    talk["mapping"]["n0"]["parent"] = "n0"
    imported(space, as_json([talk]))
    assert Assessment.objects.filter(space=space).count() == 1


def test_the_page_says_how_much_would_be_assessed(alice: User, space: Space) -> None:
    page = Client()
    page.force_login(alice)
    file = SimpleUploadedFile("conversations.json", as_json([CLAUDE, chatgpt("Old", at=1.0)]))
    page.post("/s/home/transfer/import/", {"file": file, "preview": "1", "exchanges": "1"})
    job = work(space, Job.objects.latest("created_at"))

    assert job.parameters["exchanges"] == 1
    shown = " ".join(page.get("/s/home/transfer/").content.decode().split())
    assert "<b>1</b> exchange to assess" in shown
    assert "new active" not in shown
    assert "1 older exchange is over the limit and is not assessed." in shown
    assert not Assessment.objects.exists()
    page.post(f"/s/home/transfer/import/{job.pk}/confirm/")
    work(space, Job.objects.latest("created_at"))
    assert "Progress of the assessments" in page.get("/s/home/transfer/").content.decode()


@pytest.mark.parametrize("file", [b"\xff\xfeM6\r\xff", b"content\rx", b'"content\r"', b"text\r\rb"])
def test_a_lone_carriage_return_is_no_table(space: Space, file: bytes) -> None:
    job = imported(space, file)
    assert job.state == JobState.FAILED
    assert not Memory.objects.in_space(space).exists()
