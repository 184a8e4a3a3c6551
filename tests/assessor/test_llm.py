"""The provider against the stub model: real HTTP and the real SDK."""

import contextlib
import json
from typing import Any

import pytest

from assessor.llm import (
    ChatMessage,
    ChatModel,
    Chunk,
    Completion,
    Finished,
    TextDelta,
    ToolCall,
    Usage,
)
from assessor.llm.dialects import FORMATS
from assessor.llm.errors import ModelBadAnswer, ModelBadRequest
from assessor.llm.openai_compatible import OpenAICompatibleModel
from assessor.llm.portable import portable
from assessor.llm.wire import AnswerPart, ChunkPart, StreamedReply
from tests.assessor.llm_session import HELLO, HELLO_REPLY, SCHEMA, complete, read, run, text_of
from tests.stub_model import StubModel

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "remember",
            "description": "Remember something",
            "parameters": {"type": "object", "properties": {"content": {"type": "string"}}},
        },
    }
]


def test_complete_gives_text_model_and_usage(stub_model: StubModel) -> None:
    completion = run(stub_model, complete)

    assert completion == Completion(HELLO_REPLY, "stub", Usage(7, 7))
    (request,) = stub_model.requests
    assert request.authorization == "Bearer key"
    assert request.body["messages"][1] == {"role": "user", "content": "I like pizza a lot"}
    assert "response_format" not in request.body


def test_stream_gives_text_as_it_comes_then_finished(stub_model: StubModel) -> None:
    chunks = run(stub_model, read)

    *texts, end = chunks  # tokens that came at once are one text
    assert {type(chunk) for chunk in texts} == {TextDelta}
    assert text_of(chunks) == HELLO_REPLY
    assert end == Finished("stop", Usage(7, 7))
    (request,) = stub_model.requests
    assert request.authorization == "Bearer key"
    assert "tools" not in request.body


def test_stream_passes_on_the_first_token_before_the_last_is_there(stub_model: StubModel) -> None:
    stub_model.script("stall:1")

    async def first(model: ChatModel) -> Chunk:
        async with contextlib.aclosing(model.stream(HELLO)) as chunks:
            return await anext(chunks)

    assert run(stub_model, first) == TextDelta("You")


def test_stream_assembles_a_tool_call(stub_model: StubModel) -> None:
    arguments = '{"content": "User likes pizza", "tags": ["food"]}'
    stub_model.script(f"tool:remember:{arguments}")

    chunks = run(stub_model, lambda model: read(model, tools=TOOLS))

    assert chunks[0] == ToolCall("call_remember", "remember", arguments)
    assert isinstance(chunks[1], Finished)
    assert chunks[1].finish_reason == "tool_calls"
    assert stub_model.requests[0].body["tools"] == TOOLS


def test_tool_answer_is_sent_back_in_the_protocols_words(stub_model: StubModel) -> None:
    call = ToolCall("call_1", "remember", '{"content": "pizza"}')
    messages = [
        *HELLO,
        ChatMessage("assistant", "", tool_calls=(call,)),
        ChatMessage("tool", "Stored as abc123", tool_call_id="call_1"),
    ]

    completion = run(stub_model, lambda model: model.complete(messages, timeout=30))

    assert completion.text == "The tool answered: Stored as abc123"
    assert stub_model.requests[0].body["messages"][2:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "remember", "arguments": '{"content": "pizza"}'},
                }
            ],
        },
        {"role": "tool", "content": "Stored as abc123", "tool_call_id": "call_1"},
    ]


def test_empty_key_is_sent_as_none(stub_model: StubModel) -> None:
    run(stub_model, complete, api_key="")

    assert stub_model.requests[0].authorization == "Bearer none"


def test_schema_is_asked_for_as_structured_output(stub_model: StubModel) -> None:
    completion = run(stub_model, lambda model: model.complete(HELLO, schema=SCHEMA, timeout=30))

    assert json.loads(completion.text) == {"importance": 0.7, "summary": "User: I like pizza a lot"}
    assert stub_model.requests[0].body["response_format"]["json_schema"]["schema"] == portable(
        SCHEMA
    )


def test_schema_falls_back_to_other_formats_once_and_remembers_it(stub_model: StubModel) -> None:
    stub_model.control.takes_schema = False

    async def ask_twice(model: ChatModel) -> list[str]:
        return [(await model.complete(HELLO, schema=SCHEMA, timeout=30)).text for _ in range(2)]

    assert run(stub_model, ask_twice, api_key="no-schema") == [HELLO_REPLY] * 2
    asked = ["response_format" in request.body for request in stub_model.requests]
    assert asked == [True, True, True, True, False, False]


def test_a_server_that_calls_a_schema_unprocessable_is_asked_more_simply(
    stub_model: StubModel,
) -> None:
    stub_model.script("422")

    async def ask(model: ChatModel) -> str:
        return (await model.complete(HELLO, schema=SCHEMA, timeout=30)).text

    assert "importance" in run(stub_model, ask, api_key="unprocessable")
    first, second = (request.body["response_format"] for request in stub_model.requests)
    assert first["json_schema"].pop("strict") is True
    assert first == second


def test_bad_request_that_is_not_about_the_schema_does_not_give_up_the_schema(
    stub_model: StubModel,
) -> None:
    stub_model.script(*["400"] * len(FORMATS), "ok")

    async def ask_twice(model: ChatModel) -> str:
        with pytest.raises(ModelBadRequest):
            await model.complete(HELLO, schema=SCHEMA, timeout=30)
        return (await model.complete(HELLO, schema=SCHEMA, timeout=30)).text

    assert "importance" in json.loads(run(stub_model, ask_twice))
    assert stub_model.requests[-1].body["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize("step", ["fenced", "nonsense", "empty"])
def test_what_the_model_says_is_not_assessed_here(stub_model: StubModel, step: str) -> None:
    stub_model.script(step)

    completion = run(stub_model, lambda model: model.complete(HELLO, schema=SCHEMA, timeout=30))

    with pytest.raises(json.JSONDecodeError):
        json.loads(completion.text)


def test_provider_has_a_name() -> None:
    assert OpenAICompatibleModel.name == "openai_compatible"


def call_part(index: int | None, call_id: str | None, name: str | None, arguments: str) -> Any:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": call_id, "function": function}


@pytest.mark.parametrize(
    "parts",
    [
        # OpenAI: an index per call, pieces without id, interleaved
        [
            call_part(0, "a", "remember", ""),
            call_part(1, "b", "forget", '{"memory'),
            call_part(0, None, None, '{"content": 1}'),
            call_part(1, None, None, '_id": 2}'),
        ],
        # endpoints that number every call 0, or do not number them
        [
            call_part(0, "a", "remember", '{"content": 1}'),
            call_part(0, "b", "forget", '{"memory_id": 2}'),
        ],
        [
            call_part(None, "a", "remember", '{"content": 1}'),
            call_part(None, "b", "forget", '{"memory'),
            call_part(None, None, None, '_id": 2}'),
        ],
    ],
)
def test_two_tool_calls_are_kept_apart(parts: list[Any]) -> None:
    reply = StreamedReply()

    for part in parts:
        chunk = {"choices": [{"delta": {"tool_calls": [part]}}]}
        assert reply.add(ChunkPart.model_validate(chunk)) == ""

    assert reply.tool_calls() == [
        ToolCall("a", "remember", '{"content": 1}'),
        ToolCall("b", "forget", '{"memory_id": 2}'),
    ]


def test_tool_call_without_an_id_gets_one() -> None:
    reply = StreamedReply()
    part = call_part(0, None, "remember", "")

    reply.add(ChunkPart.model_validate({"choices": [{"delta": {"tool_calls": [part]}}]}))

    assert reply.tool_calls() == [ToolCall("call_0", "remember", "{}")]


@pytest.mark.parametrize(
    "usage", [None, {}, {"total_tokens": 9}, {"prompt_tokens": None, "completion_tokens": -1}]
)
def test_an_answer_is_not_lost_for_its_bill(usage: object) -> None:
    part = {"choices": [{"message": {"content": "Hello"}}], "model": "m", "usage": usage}
    assert AnswerPart.model_validate(part).usage is None


def test_a_text_in_pieces_is_read_without_the_thoughts() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}
    content = [thought, {"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]
    part = AnswerPart.model_validate({"choices": [{"message": {"content": content}}]})
    assert part.choices[0].message.content == "Hello"


def test_an_answer_that_is_a_tool_call_says_so_in_words(stub_model: StubModel) -> None:
    stub_model.script('tool:remember:{"content": "I like pizza"}')
    with pytest.raises(ModelBadAnswer, match=r"could not be read. \(no text\)"):
        run(stub_model, complete)
