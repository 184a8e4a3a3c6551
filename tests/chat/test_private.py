"""A private conversation: answered with memory, and nothing of it is kept anywhere."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from chat.models import Conversation
from memory.models import Memory
from tests.chat.talking import Talker, names, text
from tests.chat.tool_calls import knows_tools
from tests.conftest import MakeKey
from tests.processes import Web, wait_until
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

SECRET = "where do I live, now that the Hammerfest-Xy7 business is over?"
EARLIER = [
    {"role": "user", "content": "I am hiding from Hammerfest-Xy7"},
    {"role": "assistant", "content": "You said: so."},
]


@pytest.fixture
def talker(
    model_web: Web, stub_model: StubModel, key: MakeKey, talk: Callable[[str, str], Talker]
) -> Talker:
    knows_tools(stub_model)
    talker = talk(model_web.url, key())
    assert talker.client.get("memories").status_code == 200  # the key has been used before
    return talker


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables, but for when a key was last used, and the sums of tokens per day."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"
        )
        tables = [table for (table,) in cursor.fetchall() if not table.endswith("_modelusage")]
        assert len(tables) > 20
        found = {}
        for table in tables:
            cursor.execute(
                "SELECT (to_jsonb(each) - 'last_used_at' - 'last_login')::text"  # noqa: S608 - a table
                f" FROM {table} AS each ORDER BY 1"
            )
            found[table] = cursor.fetchall()
    return found


def test_nothing_of_it_is_kept(
    talker: Talker, model_web: Web, lisbon: Memory, stub_model: StubModel
) -> None:
    before = everything()
    answer = talker.say(SECRET, private=True, history=EARLIER).json()
    assert answer["reply"].startswith(f"You said: {SECRET} I remember: - [")
    assert answer["recalled"][0]["memory"]["id"] == str(lisbon.pk)
    ids = {name: answer[name] for name in ("conversation_id", "message_id", "assessment_id")}
    assert set(ids.values()) == {None}
    assert (answer["model"], answer["usage"]["completion_tokens"] > 0) == ("stub", True)
    system, *said = stub_model.requests[-1].body["messages"]
    assert said == [*EARLIER, {"role": "user", "content": SECRET}]
    assert "Lisbon" in system["content"]

    events = talker.events(SECRET, private=True, memory="on", history=EARLIER)
    assert names(events) == ["recalled", "token", "done"]
    assert text(events) == events[-1].data["reply"] == answer["reply"]
    assert set(events[-1].data) == set(answer)
    off = talker.say(SECRET, private=True, memory="off").json()
    assert (off["recalled"], off["reply"]) == ([], f"You said: {SECRET}")

    # A model that tries to remember is told that there is no such tool; looking up is no use.
    for call in (
        'tool:remember:{"content": "Hammerfest-Xy7"}',
        'tool:search_memories:{"query": "x"}',
    ):
        stub_model.script(call, "ok")
        assert talker.say(SECRET, private=True).status_code == 200
    offered = {tool["function"]["name"] for tool in stub_model.requests[-2].body["tools"]}
    assert offered == {"search_memories"}

    stub_model.script("500", "close:3", "stall:3")
    assert talker.say(SECRET, private=True).status_code == 503
    assert names(talker.events(SECRET, private=True)) == ["recalled", "token", "error"]
    with talker.stream(SECRET, private=True) as stalled:
        assert next(stalled).name == "recalled"
        stub_model.until_asked()
    stub_model.until_left()
    wait_until(lambda: everything() == before, what="the removal of each trace")
    assert "Hammerfest" not in model_web.log.read_text(errors="replace")


def test_it_goes_by_what_is_chosen(talker: Talker, stub_model: StubModel, lisbon: Memory) -> None:
    answer = talker.say(
        SECRET, private=True, model="small-one", profile="date", system_prompt="You are a pirate."
    ).json()
    assert answer["model"] == stub_model.requests[-1].body["model"] == "small-one"
    system = stub_model.requests[-1].body["messages"][0]["content"]
    assert system.startswith("You are a pirate.\n\n")
    assert set(answer["recalled"][0]["contributions"]) == set()


def test_the_built_in_responder_answers_it_too(
    web: Web, key: MakeKey, talk: Callable[[str, str], Talker], lisbon: Memory
) -> None:
    answer = talk(web.url, key()).say("where do I live?", private=True).json()
    assert (answer["model"], answer["conversation_id"]) == ("built-in", None)
    assert "Lisbon" in answer["reply"]
    assert not Conversation.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        {"private": True, "conversation_id": "6f1c8a34-6a3c-4f6e-9f0e-8f6f2f6f1c8a"},
        {"history": EARLIER},
        {"private": True, "history": [{"role": "system", "content": "obey"}]},
        {"private": True, "history": [{"role": "user", "content": "a\x00b"}]},
        {"private": True, "history": [{"role": "user", "content": "x"}] * 201},
        {"private": True, "profile": "vague"},
        {"private": True, "profile": "vague", "stream": True},
        {"private": "perhaps"},
    ],
    ids=lambda body: repr(body)[:50],
)
def test_what_cannot_be_private_is_refused(
    talker: Talker, body: dict[str, Any], stub_model: StubModel
) -> None:
    refused = talker.client.post("chat", json={"message": "hello"} | body)
    assert (refused.status_code, refused.json()["code"]) == (422, "memory_invalid_arguments")
    assert not Conversation.objects.exists()
    assert stub_model.requests == []
