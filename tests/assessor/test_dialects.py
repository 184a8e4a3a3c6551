"""Each endpoint's dialect over real HTTP: chat, stream, tools, assess and reconcile all work."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from itertools import count
from typing import Any, TypeVar

import pytest

from assessor.language_model.importance_assessor import MemoryImportanceAssessor
from assessor.language_model.reconciling import SYSTEM, _Answer
from assessor.llm import (
    ChatMessage,
    ChatModel,
    Finished,
    LLMFactory,
    TextDelta,
    ToolCall,
    model_session,
)
from assessor.llm.base import MOST_TOKENS
from assessor.llm.dialects import FORMATS, THOUGHTS
from assessor.llm.errors import ModelBadRequest, ModelNotFound, ModelServerError
from assessor.llm.portable import BOUNDS, LONGEST, portable, unbounded
from tests.assessor.llm_session import HELLO, HELLO_REPLY, SCHEMA
from tests.assessor.test_llm import TOOLS
from tests.stub_dialects import NAMES, dialect
from tests.stub_model import StubModel

T = TypeVar("T")
KEYS = count()


@pytest.fixture(params=NAMES)
def endpoint(request: pytest.FixtureRequest, stub_model: StubModel) -> StubModel:
    """The stub, speaking one provider's dialect."""
    stub_model.control.dialect = dialect(request.param)
    return stub_model


def ask(endpoint: StubModel, work: Callable[[ChatModel], Coroutine[Any, Any, T]]) -> T:
    """The work's result, with a model that knows nothing of the endpoint yet."""
    # A model lives as long as the process, by its configuration: another key is another model.
    key = f"key-{next(KEYS)}"

    async def session() -> T:
        async with model_session(base_url=endpoint.base_url, api_key=key, model="m") as model:
            return await work(model)

    return asyncio.run(session())


async def stream(model: ChatModel, **options: Any) -> list[Any]:
    return [chunk async for chunk in model.stream(HELLO, **options)]


def test_chat_answers_without_thoughts(endpoint: StubModel) -> None:
    chunks = ask(endpoint, stream)

    text = "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta))
    assert text.endswith("I like pizza a lot")
    assert "<think>" not in text
    assert isinstance(chunks[-1], Finished)


def test_tools_are_offered_where_the_endpoint_accepts_them(endpoint: StubModel) -> None:
    endpoint.script(*['tool:remember:{"content": "pizza"}'] * 4)

    chunks = ask(endpoint, lambda model: stream(model, tools=TOOLS))

    assert endpoint.control.dialect is not None
    refuses = any("tools" in one["when"] for one in endpoint.control.dialect.refuses)
    calls = [chunk for chunk in chunks if isinstance(chunk, ToolCall)]
    assert ("tools" in endpoint.requests[-1].body) is not refuses
    assert [call.arguments for call in calls] == ['{"content": "pizza"}']


@pytest.mark.parametrize("rubric", ["facts", "graded", "facets"])
def test_assessments_are_read(endpoint: StubModel, rubric: str) -> None:
    async def assess(model: ChatModel) -> Any:
        assessor = MemoryImportanceAssessor(LLMFactory(weak=lambda: model), rubric=rubric)
        return await assessor.assess("I like pizza a lot", "Good to know.", "user")

    verdict = ask(endpoint, assess)

    assert verdict.assessment.memory_type == "preference"
    assert verdict.assessment.summary.strip(".").endswith("I like pizza a lot")


def test_advice_is_read(endpoint: StubModel) -> None:

    messages = [ChatMessage("system", SYSTEM), ChatMessage("user", "New statement:\nI moved")]
    schema = _Answer.model_json_schema()

    answer = ask(endpoint, lambda model: model.complete(messages, schema=schema, timeout=30))

    assert _Answer.model_validate(answer.text).decision == "add"


def test_what_was_refused_once_is_not_asked_for_again(endpoint: StubModel) -> None:
    async def twice(model: ChatModel) -> int:
        await model.complete(HELLO, schema=SCHEMA, timeout=30)
        before = len(endpoint.requests)
        await model.complete(HELLO, schema=SCHEMA, timeout=30)
        return len(endpoint.requests) - before

    assert ask(endpoint, twice) == 1


def test_every_dialect_names_its_sources() -> None:
    assert len(NAMES) >= 14
    for name in NAMES:
        assert all(source.startswith("https://") for source in dialect(name).sources)
        assert dialect(name).sources


def test_a_request_without_special_wishes_is_sent_once(stub_model: StubModel) -> None:
    stub_model.control.dialect = dialect("openai")

    answer = ask(stub_model, lambda model: model.complete(HELLO, timeout=30))

    assert answer.text == HELLO_REPLY
    assert len(stub_model.requests) == 1


@pytest.mark.parametrize(
    ("step", "error"),
    [("500", ModelServerError), ("404", ModelNotFound), ("503", ModelServerError)],
)
def test_an_outage_is_no_refusal(stub_model: StubModel, step: str, error: type[Exception]) -> None:
    stub_model.script(step)

    with pytest.raises(error):
        ask(stub_model, lambda model: model.complete(HELLO, schema=SCHEMA, timeout=30))

    assert len(stub_model.requests) == 1


def test_a_request_refused_in_every_format_is_a_bad_request(stub_model: StubModel) -> None:
    stub_model.script(*["400"] * len(FORMATS))

    with pytest.raises(ModelBadRequest):
        ask(stub_model, lambda model: model.complete(HELLO, schema=SCHEMA, timeout=30))

    assert len(stub_model.requests) == len(FORMATS)


def test_schemas_have_only_portable_keywords() -> None:
    schema = json.dumps(portable(_Answer.model_json_schema()))

    assert json.loads(schema)["properties"]["memory"] == {"minimum": 1, "type": ["integer", "null"]}
    assert json.loads(schema)["properties"]["reasoning"] == {"type": "string", "maxLength": LONGEST}
    for word in ("pattern", "title", "anyOf", "$ref"):
        assert word not in schema
    for word in BOUNDS:
        assert word not in json.dumps(unbounded(json.loads(schema)))


@pytest.mark.parametrize(
    ("refusal", "sent"),
    [
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            {"max_completion_tokens": MOST_TOKENS + THOUGHTS, "temperature": 0},
        ),
        ("'temperature' does not support 0 with this model.", {"max_tokens": MOST_TOKENS}),
    ],
)
def test_a_refused_limit_or_temperature_is_sent_otherwise(
    stub_model: StubModel, refusal: str, sent: dict[str, int]
) -> None:
    stub_model.script(f"refused:400 {refusal}")

    ask(stub_model, lambda model: model.complete(HELLO, schema=SCHEMA, timeout=30))

    body = stub_model.requests[-1].body
    names = ("max_tokens", "max_completion_tokens", "temperature")
    assert {name: body[name] for name in names if name in body} == sent
    assert body["response_format"]["json_schema"]["strict"]


def test_a_model_whose_thoughts_reach_the_limit_gets_more(stub_model: StubModel) -> None:
    stub_model.script("thought")

    answer = ask(stub_model, lambda model: model.complete(HELLO, timeout=30))

    assert answer.text == HELLO_REPLY
    first, second = stub_model.requests
    assert (first.body["max_tokens"], second.body["max_tokens"]) == (
        MOST_TOKENS,
        MOST_TOKENS + THOUGHTS,
    )
