"""Asking the OpenAI-compatible API of a real web server, with the real openai SDK."""

from collections.abc import Callable, Iterator
from typing import Any

import openai
import pytest

from chat.models import Message
from tests.conftest import MakeKey
from tests.processes import Web
from tests.stub_model import StubModel

MakeClient = Callable[..., openai.OpenAI]
STORY = "I live in Lisbon since March"
QUESTION = "where do I live?"
TOOLS: Any = [{"type": "function", "function": {"name": "weather", "parameters": {}}}]
# The same in the format of `/v1/responses`.
WEATHER: Any = {"type": "function", "name": "weather", "parameters": {"type": "object"}}


@pytest.fixture
def make_client() -> Iterator[MakeClient]:
    """Makes clients of the API; they hang up with the test."""
    clients: list[openai.OpenAI] = []

    def make(web: Web, secret: str, **options: Any) -> openai.OpenAI:
        options = {"max_retries": 0, "timeout": 90, **options}
        clients.append(openai.OpenAI(base_url=f"{web.url}/v1", api_key=secret, **options))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def client(
    model_web: Web, stub_model: StubModel, key: MakeKey, make_client: MakeClient
) -> openai.OpenAI:
    """Asks the stub model, with nothing scripted, through Ebb."""
    return make_client(model_web, key())


def said(*texts: str, system: Any = None) -> list[Any]:
    """Messages by user and assistant in turns, with a system message in front."""
    roles = ["user", "assistant"] * len(texts)
    messages = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
    return [{"role": "system", "content": system}, *messages] if system else messages


def ask(client: openai.OpenAI, messages: list[Any], **options: Any) -> Any:
    return client.chat.completions.create(model="ebb", messages=messages, **options)


def respond(client: openai.OpenAI, input_: Any, **options: Any) -> Any:
    return client.responses.create(model="ebb", input=input_, **options)


def ebb(answer: Any) -> dict[str, Any]:
    """The extension field, as the SDK keeps what it does not know."""
    extra: dict[str, Any] = answer.model_extra["ebb"]
    return extra


def turns() -> list[tuple[str, str, str]]:
    """Everything that stands in conversations: role, state, content."""
    rows = Message.objects.order_by("created_at", "conversation_id", "position")
    return list(rows.values_list("role", "state", "content"))


def reply_row() -> Message:
    return Message.objects.select_related("assessment").get(role="assistant")
