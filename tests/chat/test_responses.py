"""`/v1/responses` through the real web server, with the real openai SDK."""

from typing import Any

import httpx2
import openai
import pytest
from pydantic import BaseModel

from accounts.models import Space
from assessor.models import Assessment
from assessor.tasks import assess
from chat.models import Conversation, Message, StoredResponse
from memory.models import Memory
from tests.chat.openai_client import (
    QUESTION,
    STORY,
    WEATHER,
    MakeClient,
    client,
    ebb,
    make_client,
    respond,
    turns,
)
from tests.conftest import MakeKey
from tests.processes import Web
from tests.stub_model import StubModel

__all__ = ["client", "make_client"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


# --- Memory at work -------------------------------------------------------------------------


def test_what_was_said_in_one_response_is_recalled_in_another(
    client: openai.OpenAI, space: Space, stub_model: StubModel
) -> None:
    first = respond(client, STORY)
    assert (first.output_text, first.model, first.status) == (
        f"You said: {STORY}", "stub", "completed",
    )  # fmt: skip
    assess(space.pk, ebb(first)["assessment_id"])
    memory = Memory.objects.get()

    second = respond(client, QUESTION, instructions="Be brief.")

    assert f"I remember: - [{memory.created_at:%Y-%m-%d}]" in second.output_text
    assert [hit["memory"]["id"] for hit in ebb(second)["recalled"]] == [str(memory.pk)]
    system, user = stub_model.requests[-1].body["messages"]
    assert system["content"].startswith("Be brief.\n\n")
    assert user == {"role": "user", "content": QUESTION}
    row = Message.objects.get(pk=ebb(second)["message_id"])
    assert (row.state, row.content) == ("done", second.output_text)
    assert row.usage is not None
    assert second.usage.input_tokens == row.usage["prompt_tokens"]
    assert second.usage.total_tokens == sum(row.usage.values())
    memory.refresh_from_db()
    assert memory.use_count == 1


def test_memory_can_be_switched_off_by_header(client: openai.OpenAI, lisbon: Memory) -> None:
    answer = respond(client, QUESTION, extra_headers={"X-Ebb-Memory": "off"})
    assert ebb(answer)["recalled"] == []
    assert not Assessment.objects.exists()


# --- Streams --------------------------------------------------------------------------------


def test_a_stream_has_the_documented_events_in_order(client: openai.OpenAI, lisbon: Memory) -> None:
    events = list(respond(client, QUESTION, stream=True))
    kinds = [event.type for event in events]
    deltas = kinds.count("response.output_text.delta")
    assert deltas > 5
    assert kinds == [
        "response.created", "response.in_progress", "response.output_item.added",
        "response.content_part.added", *["response.output_text.delta"] * deltas,
        "response.output_text.done", "response.content_part.done", "response.output_item.done",
        "response.completed",
    ]  # fmt: skip
    assert [event.sequence_number for event in events] == list(range(len(events)))
    text = "".join(e.delta for e in events if e.type == "response.output_text.delta")
    last = events[-1].response
    assert last.output_text == text
    assert "User moved to Lisbon in March" in text
    assert last.usage.output_tokens > 0
    assert turns()[1] == ("assistant", "done", text)
    assert client.responses.retrieve(last.id).output_text == text


def test_the_sdks_stream_helper_follows(client: openai.OpenAI, stub_model: StubModel) -> None:
    stub_model.script('tools:{"text": "Let me see", "calls": [["weather", "{\\"city\\": 1}"]]}')
    with client.responses.stream(model="ebb", input="Rain?", tools=[WEATHER]) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert kinds[-6:] == [
        "response.output_item.done", "response.output_item.added",
        "response.function_call_arguments.delta", "response.function_call_arguments.done",
        "response.output_item.done", "response.completed",
    ]  # fmt: skip
    output: Any = final.output
    message, call = output
    assert (message.content[0].text, call.name, call.arguments) == (
        "Let me see", "weather", '{"city": 1}',
    )  # fmt: skip


def test_a_broken_stream_ends_with_a_failed_response(
    client: openai.OpenAI, stub_model: StubModel
) -> None:
    stub_model.script("error:2")
    last = list(respond(client, STORY, stream=True))[-1]
    assert (last.type, last.response.status) == ("response.failed", "failed")
    assert last.response.error.code == "server_error"
    assert turns()[1][:2] == ("assistant", "failed")
    assert not StoredResponse.objects.exists()


def test_a_response_that_reached_the_limit_is_incomplete(
    client: openai.OpenAI, stub_model: StubModel
) -> None:
    stub_model.script("length:2")
    last = list(respond(client, STORY, stream=True, max_output_tokens=2))[-1]
    assert (last.type, last.response.status) == ("response.incomplete", "incomplete")
    assert last.response.incomplete_details.reason == "max_output_tokens"
    assert stub_model.requests[-1].body["max_completion_tokens"] == 2


# --- Tools and structure --------------------------------------------------------------------


@pytest.mark.parametrize("chained", [True, False])
def test_a_tools_answer_continues_the_exchange(
    client: openai.OpenAI, lisbon: Memory, stub_model: StubModel, chained: bool
) -> None:
    stub_model.script('tool:weather:{"city": "Lisbon"}')
    question = "where do I live?"
    first = respond(client, question, tools=[WEATHER], tool_choice="auto")
    [call] = first.output
    assert (call.type, call.name, call.arguments) == (
        "function_call", "weather", '{"city": "Lisbon"}',
    )  # fmt: skip
    sent = stub_model.requests[-1].body
    assert sent["tools"] == [
        {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
    ]
    assert turns() == [("user", "done", question), ("assistant", "done", "")]

    result = {"type": "function_call_output", "call_id": call.call_id, "output": "It rains"}
    if chained:
        last = respond(client, [result], tools=[WEATHER], previous_response_id=first.id)
    else:
        history = [{"role": "user", "content": question}, call.model_dump(), result]
        last = respond(client, history, tools=[WEATHER])

    assert last.output_text == "The tool answered: It rains"
    asked = stub_model.requests[-1].body["messages"]
    messages = [message for message in asked if message["role"] != "system"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool"]
    assert messages[1]["tool_calls"][0]["id"] == messages[2]["tool_call_id"] == call.call_id
    assert turns()[1:] == [("assistant", "done", "The tool answered: It rains")]
    assert Assessment.objects.get().assistant_response == "The tool answered: It rains"
    lisbon.refresh_from_db()
    assert lisbon.use_count == 1


def test_an_answer_is_parsed_into_a_class(client: openai.OpenAI, stub_model: StubModel) -> None:
    class Person(BaseModel):
        name: str

    stub_model.script('reply:{"name": "Ana"}')
    parsed = client.responses.parse(model="ebb", input="Who is it?", text_format=Person)
    assert parsed.output_parsed == Person(name="Ana")
    asked = stub_model.requests[-1].body["response_format"]
    assert (asked["type"], asked["json_schema"]["name"]) == ("json_schema", "Person")
    assert asked["json_schema"]["schema"]["required"] == ["name"]


# --- Conversations --------------------------------------------------------------------------


def test_a_response_continues_the_previous_one(
    client: openai.OpenAI, stub_model: StubModel
) -> None:
    first = respond(client, "My name is Ana", instructions="Answer in rhymes.")
    second = respond(client, "I live in Lisbon", previous_response_id=first.id)
    third = respond(client, "Who am I?", previous_response_id=second.id)
    texts = [message["content"] for message in stub_model.requests[-1].body["messages"]]
    assert texts == [
        "My name is Ana", first.output_text, "I live in Lisbon", second.output_text, "Who am I?",
    ]  # fmt: skip
    assert third.previous_response_id == second.id
    assert {ebb(one)["conversation_id"] for one in (first, second, third)} == {
        str(Conversation.objects.get().pk)
    }

    client.responses.delete(second.id)
    respond(client, "And now?", previous_response_id=third.id)
    texts = [message["content"] for message in stub_model.requests[-1].body["messages"]]
    assert "I live in Lisbon" not in texts
    assert texts[0] == "My name is Ana"


def test_a_conversation_has_its_history_by_name(
    client: openai.OpenAI, stub_model: StubModel
) -> None:
    first = respond(client, "My name is Ana", conversation="thread-7")
    second = respond(client, "Who am I?", conversation={"id": "thread-7"})
    texts = [message["content"] for message in stub_model.requests[-1].body["messages"]]
    assert texts == ["My name is Ana", first.output_text, "Who am I?"]
    assert second.conversation.id == "thread-7"
    assert Conversation.objects.get().external_id == "conversation:thread-7"


def test_an_item_may_be_named_by_its_id(client: openai.OpenAI, stub_model: StubModel) -> None:
    first = respond(client, "My name is Ana")
    reference = {"type": "item_reference", "id": first.output[0].id}
    respond(client, [{"role": "user", "content": "My name is Ana"}, reference,
                     {"role": "user", "content": "Who am I?"}])  # fmt: skip
    assert stub_model.requests[-1].body["messages"][1] == {
        "role": "assistant", "content": first.output_text,
    }  # fmt: skip
    assert Conversation.objects.count() == 1


def test_a_stored_response_is_read_and_deleted(
    client: openai.OpenAI, lisbon: Memory, make_client: MakeClient
) -> None:
    made = respond(client, QUESTION)
    read = client.responses.retrieve(made.id)
    assert (read.output_text, read.usage) == (made.output_text, made.usage)
    assert "recalled" in ebb(made)
    assert "recalled" not in ebb(read)
    client.responses.delete(made.id)
    for call in (client.responses.retrieve, client.responses.delete):
        with pytest.raises(openai.NotFoundError):
            call(made.id)
    assert Message.objects.filter(content=made.output_text).exists()


def test_a_response_is_not_stored_if_the_client_says_so(client: openai.OpenAI) -> None:
    made = respond(client, STORY, store=False)
    assert made.model_extra["store"] is False
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(made.id)
    assert len(turns()) == 2


def test_an_id_that_no_row_can_have_is_not_found(client: openai.OpenAI) -> None:
    for call in (client.responses.retrieve, client.responses.delete):
        with pytest.raises(openai.NotFoundError):
            call("resp_%00")
    with pytest.raises(openai.BadRequestError, match="previous_response_id"):
        respond(client, "And?", previous_response_id="resp_\x00")


def test_another_space_has_no_part_in_it(
    client: openai.OpenAI, model_web: Web, key: MakeKey, other_space: Space, make_client: MakeClient
) -> None:
    made = respond(client, STORY)
    stranger = make_client(model_web, key(other_space))
    with pytest.raises(openai.NotFoundError):
        stranger.responses.retrieve(made.id)
    with pytest.raises(openai.BadRequestError, match="previous_response_id: not found"):
        respond(stranger, "And?", previous_response_id=made.id)
    with pytest.raises(openai.BadRequestError, match="no item"):
        respond(stranger, [{"type": "item_reference", "id": made.output[0].id}])
    assert len(turns()) == 2


def test_another_user_of_the_space_has_no_part_in_it(
    client: openai.OpenAI, stub_model: StubModel
) -> None:
    made = respond(client, STORY, user="alice")
    as_bob: Any = {"extra_headers": {"X-Ebb-User": "bob"}}
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(made.id, **as_bob)
    with pytest.raises(openai.NotFoundError):
        client.responses.delete(made.id, **as_bob)
    with pytest.raises(openai.BadRequestError, match="previous_response_id: not found"):
        respond(client, "And?", previous_response_id=made.id, user="bob")
    with pytest.raises(openai.BadRequestError, match="no item"):
        respond(client, [{"type": "item_reference", "id": made.output[0].id}], **as_bob)
    named = respond(client, STORY, conversation="same", safety_identifier="alice")
    respond(client, "And?", conversation="same", user="bob")
    assert [one["content"] for one in stub_model.requests[-1].body["messages"]] == ["And?"]
    assert client.responses.retrieve(named.id, extra_headers={"X-Ebb-User": "alice"}).id == named.id
    assert [one.user_id for one in Conversation.objects.order_by("created_at")] == [
        "alice", "alice", "bob",
    ]  # fmt: skip


# --- What is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"input": []}, "input"),
        ({"input": 7}, "input"),
        ({"input": [{"type": "computer_call"}]}, "input.0.type"),
        ({"input": [{"role": "robot", "content": "x"}]}, "input.0.role"),
        ({"input": [{"role": "user", "content": [{"type": "input_image", "file_id": "f"}]}]},
         "input.0.content.0"),
        ({"input": "x", "tools": [{"type": "web_search"}]}, "tools.0"),
        ({"input": "x", "background": True}, "background"),
        ({"input": "x", "prompt": {"id": "p"}}, "prompt"),
        ({"input": "x", "previous_response_id": "resp_1"}, "previous_response_id"),
        ({"input": "x", "ebb": {"memry": "off"}}, "ebb.memry"),
        ({"input": "x", "user": "u" * 201}, "user"),
        ({"input": [{"type": "reasoning", "summary": []}]}, "input"),
        ({"input": "x", "tool_choice": {"type": "web_search"}, "tools": [WEATHER]}, "tool_choice"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_and_nothing_is_written(
    model_web: Web, stub_model: StubModel, key: MakeKey, body: dict[str, Any], param: str
) -> None:
    headers = {"Authorization": f"Bearer {key()}"}
    refused = httpx2.post(f"{model_web.url}/v1/responses", json=body, headers=headers, timeout=90)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, param)
    assert stub_model.requests == []
    assert turns() == []
