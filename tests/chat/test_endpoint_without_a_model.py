"""The OpenAI-compatible API where no model is connected."""

from typing import Any

import openai
import pytest

from memory.models import Memory
from tests.chat.openai_client import WEATHER, MakeClient, make_client, respond, turns
from tests.conftest import MakeKey
from tests.processes import Web

__all__ = ["make_client"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


def test_without_a_model_the_built_in_responder_answers_and_refuses_tools(
    web: Web, key: MakeKey, lisbon: Memory, make_client: MakeClient
) -> None:
    client = make_client(web, key())
    answer = respond(client, "Where did I move in March?")
    assert answer.model == "built-in"
    assert "“User moved to Lisbon in March”" in answer.output_text
    events = list(respond(client, "Where did I move in March?", stream=True))
    assert events[-1].response.output_text == answer.output_text
    written = len(turns())
    format_: Any = {"format": {"type": "json_object"}}
    for options in ({"tools": [WEATHER]}, {"text": format_}):
        with pytest.raises(openai.BadRequestError, match="needs a language model"):
            respond(client, "Rain?", **options)
    ask: Any = client.chat.completions.create
    for options in (
        {"tools": [{"type": "function", "function": {"name": "weather"}}]},
        {"response_format": {"type": "json_object"}},
    ):
        with pytest.raises(openai.BadRequestError, match="needs a language model"):
            ask(model="ebb", messages=[{"role": "user", "content": "Rain?"}], **options)
    assert len(turns()) == written


def test_open_webui_may_offer_its_own_tools_without_a_model(
    web: Web, key: MakeKey, lisbon: Memory, make_client: MakeClient
) -> None:
    client = make_client(web, key())
    question = "Where did I move in March?"
    chat = {"X-OpenWebUI-Chat-Id": "da5508ba-d013-447e-8446-24f9c6f4e437"}

    completion = client.chat.completions.create(
        model="ebb",
        messages=[{"role": "user", "content": question}],
        tools=[{"type": "function", "function": {"name": "search_chats"}}],
        extra_headers=chat,
    )
    response = respond(client, question, tools=[WEATHER], extra_headers=chat)

    assert "User moved to Lisbon in March" in (completion.choices[0].message.content or "")
    assert "User moved to Lisbon in March" in response.output_text
