"""The model calls tools while it answers: shown, stored, bounded; what fails is told the model."""

import json
from typing import Any

import pytest
from django.db import transaction

from accounts.models import Space
from assessor.models import Assessment
from memory.models import Memory, MemoryEvent
from tests.chat.talking import Talker, chats_with, names, text
from tests.chat.tool_calls import (
    Talk,
    known,
    knows_tools,
    lisbon,
    reply_row,
    round_of,
    talker,
    tools_of,
)
from tests.conftest import MakeKey
from tests.locks import somebody_waits
from tests.processes import Web, wait_until
from tests.stub_model import StubModel

__all__ = ["lisbon", "talker"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


ALL_FOUR = ["remember", "search_memories", "update_memory", "forget"]


def offered(stub_model: StubModel) -> list[list[str]]:
    """The names of the tools in each request."""
    return [
        [spec["function"]["name"] for spec in request.body.get("tools", [])]
        for request in stub_model.requests
    ]


# --- A call that goes well ------------------------------------------------------------------


def test_agent_and_session_reach_what_a_conversation_teaches(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script(round_of(("remember", {"content": "User is allergic to penicillin"})))
    first = talker.say("Remember my allergy", agent_id="cook", session_id="monday").json()
    again = {"conversation_id": first["conversation_id"], "session_id": "tuesday"}
    assert talker.say("Which sauce is safe for me?", **again).status_code == 200

    memory = Memory.objects.get(source_role="tool")
    assert (memory.agent_id, memory.session_id) == ("cook", "monday")
    exchanges = Assessment.objects.order_by("created_at")
    assert [(row.agent_id, row.session_id) for row in exchanges] == [
        ("cook", "monday"),
        ("cook", "tuesday"),
    ]
    assert talker.say("hello", agent_id="").status_code == 422


def test_what_the_model_remembers_is_shown_and_stored(
    talker: Talker, stub_model: StubModel
) -> None:
    content = "User is allergic to “penicillin” 😀, and to every other medicine of its family"
    stub_model.script(round_of(("remember", {"content": content, "tags": ["health"]})))
    events = talker.events("Please remember my allergy")
    assert names(events) == ["recalled", "tool", "token", "done"]
    memory = Memory.objects.get()
    assert (memory.content, memory.tags, memory.source_role) == (content, ["health"], "tool")
    [call] = tools_of(events)
    assert call == {
        "name": "remember",
        "arguments": {"content": content, "tags": ["health"]},
        "text": f"Saved: {content} (id: {memory.short_id}); kept forever",
        "ok": True,
        "memory": {"id": str(memory.pk), "content": content, "status": "live"},
    }
    assert events[-1].data["tool_calls"] == reply_row().tool_calls == [call]
    created = MemoryEvent.objects.get(action="created")
    assert (created.actor_type, created.actor_name) == ("assistant", "stub")
    assert memory.source_conversation == str(reply_row().conversation_id)
    first, second = stub_model.requests
    assert second.body["messages"][:-2] == first.body["messages"]
    asked, told = second.body["messages"][-2:]
    assert json.loads(asked["tool_calls"][0]["function"]["arguments"])["content"] == content
    assert told == {"role": "tool", "content": call["text"], "tool_call_id": "call_remember"}
    assert text(events) == f"The tool answered: {call['text']}"
    stored = talker.client.get(f"conversations/{events[-1].data['conversation_id']}").json()
    assert stored["messages"][1]["tool_calls"] == [call]


def test_two_calls_in_a_round_and_three_rounds(
    talker: Talker, stub_model: StubModel, lisbon: Memory
) -> None:
    stub_model.script(
        round_of(
            ("search_memories", {"query": "home"}),
            ("remember", {"content": "User has a boat"}),
            say="Let me look.",
        ),
        round_of(("update_memory", {"memory_id": lisbon.short_id, "content": "User left Lisbon"})),
        round_of(("forget", {"memory_id": str(lisbon.pk)}), say="Gone."),
        "reply:All done.",
    )
    events = talker.events("Tidy up")
    called = tools_of(events)
    assert [call["name"] for call in called] == [
        *("search_memories", "remember", "update_memory", "forget"),
    ]
    assert all(call["ok"] for call in called)
    assert text(events) == "Let me look.\n\nGone.\n\nAll done." == reply_row().content
    assert len(stub_model.requests) == 4
    second = stub_model.requests[1].body["messages"]
    assert second[-3]["content"] == "Let me look."
    assert [message["tool_call_id"] for message in second[-2:]] == [
        *("call_search_memories", "call_remember_1"),
    ]
    lisbon.refresh_from_db()
    assert (lisbon.content, lisbon.status) == ("User left Lisbon", "binned")
    usage = reply_row().usage
    assert usage is not None
    assert usage["completion_tokens"] == 6
    assert usage["prompt_tokens"] > 4 * 20


def test_what_a_search_finds_is_put_before_the_model_and_used(
    talker: Talker, stub_model: StubModel, space: Space
) -> None:
    memories = [known(space, f"User has a cat called {name}") for name in ("Ada", "Bo", "Cy", "Di")]
    stub_model.script(round_of(("search_memories", {"query": "cat", "limit": 10})))
    events = talker.events("What are my cats called?")
    assert names(events) == ["recalled", "tool", "recalled", "token", "done"]
    before, after = (event.data["results"] for event in events if event.name == "recalled")
    assert (len(before), len(after)) == (3, 4)
    assert after[:3] == before
    assert reply_row().recalled == after == events[-1].data["recalled"]
    [call] = tools_of(events)
    assert call["text"].count("% match, id: ") == 4
    assert call["memory"] is None
    for memory in memories:
        memory.refresh_from_db()
    assert [memory.use_count for memory in memories] == [1, 1, 1, 1]


# --- A call that fails ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("remember", '{"content": "User li', "memory_invalid_arguments: arguments: Invalid JSON"),
        ("remember", "[1]", "memory_invalid_arguments: arguments: "),
        ("remember", "{}", "memory_invalid_arguments: content: Field required"),
        (
            "remember",
            {"content": "User likes tea", "importance": 0.9},
            "memory_invalid_arguments: importance: ",
        ),
        ("remember", {"content": "a\x00b"}, "memory_invalid_arguments: content: "),
        ("remember", '{"content": "a\x00 \\ud83d"}', "memory_invalid_arguments: arguments: "),
        ("forget", {"memory_id": "f926ff7f"}, "not_found: Memory not found."),
        ("forget", {"memory_id": "it"}, "memory_invalid_arguments: memory_id: "),
        ("memory_write", {"content": "x"}, "not_found: Unknown tool. Available tools: remember"),
        ("rm -rf\x00", {}, "not_found: Unknown tool."),
        ("", "", "not_found: Unknown tool."),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_failing_tool_is_told_to_the_model(
    talker: Talker,
    stub_model: StubModel,
    name: str,
    arguments: dict[str, Any] | str,
    told: str,
) -> None:
    stub_model.script(round_of((name, arguments)))
    events = talker.events("Do it")
    assert names(events) == ["recalled", "tool", "token", "done"]
    [call] = tools_of(events)
    assert call["ok"] is False
    assert call["text"].startswith(told)
    assert stub_model.requests[1].body["messages"][-1]["content"] == call["text"]
    assert text(events).startswith(f"The tool answered: {told}")
    assert reply_row().tool_calls == [call]
    assert not Memory.objects.exists()


def test_another_spaces_memory_is_not_found(
    talker: Talker, stub_model: StubModel, other_space: Space
) -> None:
    foreign = known(other_space, "User likes pizza")
    stub_model.script(round_of(("forget", {"memory_id": str(foreign.pk)})))
    [call] = tools_of(talker.events("Forget it"))
    assert call["text"].startswith("not_found")
    assert Memory.objects.get().status == "live"


def test_a_model_that_only_calls_tools_is_asked_to_answer_without_them(
    talker: Talker, stub_model: StubModel
) -> None:
    step = round_of(("search_memories", {"query": "home"}))
    stub_model.script(*[step] * 5)
    events = talker.events("Look everywhere")
    assert len(tools_of(events)) == 5
    assert offered(stub_model) == [ALL_FOUR] * 5 + [[]]
    assert text(events) == "The tool answered: ## RELEVANT MEMORIES\n\n(none)"
    assert reply_row().state == "done"


def test_a_model_that_never_answers_has_failed(talker: Talker, stub_model: StubModel) -> None:
    step = round_of(("search_memories", {"query": "home"}))
    stub_model.script(*[step] * 6)
    events = talker.events("Look everywhere")
    assert names(events)[-1] == "error"
    assert "called tools and returned no answer" in events[-1].data["detail"]
    assert len(reply_row().tool_calls) == 5
    assert len(stub_model.requests) == 6


def test_a_model_that_fails_after_a_tool_keeps_what_was_done(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script(round_of(("remember", {"content": "User likes tea"})), "close:2")
    events = talker.events("Remember that I like tea")
    assert names(events) == ["recalled", "tool", "token", "error"]
    assert reply_row().tool_calls == tools_of(events)
    assert Memory.objects.get().content == "User likes tea"


def test_who_leaves_after_a_tool_finds_it_in_the_conversation(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script(round_of(("remember", {"content": "User likes tea"})), "timeout")
    with talker.stream("Remember that I like tea") as events:
        assert [next(events).name, next(events).name] == ["recalled", "tool"]
        wait_until(lambda: stub_model.control.silent_replies, what="the model's silence")
    wait_until(lambda: reply_row().state == "stopped", what="the end of the reply")
    assert [call["name"] for call in reply_row().tool_calls] == ["remember"]


def test_who_leaves_during_a_tool_finds_what_it_did_all_the_same(
    talker: Talker, stub_model: StubModel, lisbon: Memory
) -> None:
    stub_model.script(round_of(("forget", {"memory_id": lisbon.short_id})))

    with transaction.atomic():
        Memory.objects.filter(space_id=lisbon.space_id).select_for_update().get(pk=lisbon.pk)
        with talker.stream("Forget where I live") as events:
            assert next(events).name == "recalled"
            wait_until(somebody_waits, what="the tool's turn")
    wait_until(lambda: reply_row().state == "stopped", what="the end of the reply")
    assert [(call["name"], call["ok"]) for call in reply_row().tool_calls] == [("forget", True)]
    lisbon.refresh_from_db()
    assert lisbon.status == "binned"


# --- What is offered ------------------------------------------------------------------------


def test_tools_follow_what_memory_does_in_the_conversation(
    talker: Talker, stub_model: StubModel, lisbon: Memory
) -> None:
    forget = round_of(("forget", {"memory_id": lisbon.short_id}))
    for memory in ("on", "read_only", "off"):
        stub_model.script("reply:Well.")
        talker.say("Hello there", memory=memory)
    assert offered(stub_model) == [ALL_FOUR, ["search_memories"], []]
    stub_model.script(forget)
    [call] = tools_of(talker.events("Forget where I live", memory="read_only"))
    assert call["text"] == "not_found: Unknown tool. Available tools: search_memories."
    stub_model.script(forget)
    private = talker.events("Forget where I live", private=True)
    assert not tools_of(private)[0]["ok"]
    lisbon.refresh_from_db()
    assert lisbon.status == "live"


def test_an_endpoint_that_takes_no_tools_still_answers(
    web: Web, stub_model: StubModel, key: MakeKey, talk: Talk
) -> None:
    stub_model.control.takes_tools = False
    chats_with("toolless", stub_model.base_url)
    knows_tools(stub_model, "toolless")
    talker = talk(web.url, key())
    for _ in range(2):
        assert talker.say("Hello there").json()["reply"] == "You said: Hello there"
    # Asked again without, and not tried a second time.
    assert offered(stub_model) == [ALL_FOUR, [], []]
    stub_model.script("500")
    assert talker.say("Hello there").status_code == 503


def test_a_400_that_is_not_for_the_tools_is_the_answer(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script("400", "400")
    assert talker.say("Hello there").status_code == 503
    stub_model.script("reply:Well.")
    assert talker.say("Hello there").json()["reply"] == "Well."
    assert offered(stub_model) == [ALL_FOUR, [], ALL_FOUR]


def test_the_reason_for_a_review_quotes_no_secret(talker: Talker, stub_model: StubModel) -> None:
    stub_model.script(round_of(("remember", {"content": "User is a nurse"})))

    said = "Fix the spelling of: I am a nurse and my password is hunter2-Blue42."
    assert talker.say(said).status_code == 200

    memory = Memory.objects.get(source_role="tool")
    assert memory.status == "review"
    assert memory.review_reason.startswith(
        "From a pasted text: “Fix the spelling of: I am a nurse and my"
    )
    assert "hunter2" not in memory.review_reason


# --- A model that calls no tools --------------------------------------------------------------


def test_a_model_that_cannot_call_tools_gets_none(talker: Talker, stub_model: StubModel) -> None:
    knows_tools(stub_model, able=False)
    call = json.dumps({"name": "remember", "arguments": {"content": "User has a boat"}})
    stub_model.script(f"reply:Of course.\n```json\n{call}\n```", f"reply:{call}")

    assert text(talker.events("Remember my boat")) == "Of course.\n"
    assert talker.events("Remember my boat")[-1].name == "error"

    assert offered(stub_model) == [[], []]
    assert not Memory.objects.exists()


def test_a_call_that_an_able_model_writes_as_text_is_carried_out(
    talker: Talker, stub_model: StubModel
) -> None:
    call = json.dumps({"name": "remember", "arguments": {"content": "User has a boat"}})
    stub_model.script(f"reply:```json\n{call}\n```", "reply:Done.")

    events = talker.events("Remember my boat")

    assert text(events) == "Done." == reply_row().content
    assert [one["name"] for one in tools_of(events)] == ["remember"]
    assert Memory.objects.get().content == "User has a boat"
