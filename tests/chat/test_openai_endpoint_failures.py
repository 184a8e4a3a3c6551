"""The OpenAI-compatible API when something goes wrong: the errors that the SDK knows."""

import json
from typing import Any

import httpx2
import openai
import pytest

from assessor.models import Assessment, State
from chat.models import Message
from tests.chat.openai_client import (
    STORY,
    MakeClient,
    ask,
    client,
    make_client,
    reply_row,
    said,
    turns,
)
from tests.conftest import MakeKey
from tests.processes import Web, wait_until
from tests.stub_model import StubModel

__all__ = ["client", "make_client"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


# --- What goes wrong ------------------------------------------------------------------------

# step → the SDK's class, the code
FAILURES: list[tuple[str, type[openai.APIStatusError], int, str]] = [
    ("400", openai.BadRequestError, 400, "None"),
    ("422", openai.BadRequestError, 400, "None"),
    ("404", openai.NotFoundError, 404, "model_not_found"),
    ("429:7", openai.RateLimitError, 429, "rate_limit_exceeded"),
    ("401", openai.InternalServerError, 502, "model_unauthorized"),
    ("403", openai.InternalServerError, 502, "model_unauthorized"),
    ("500", openai.InternalServerError, 502, "model_failed"),
    ("307", openai.InternalServerError, 502, "model_failed"),
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("step", "kind", "status", "code"), FAILURES)
def test_a_model_that_refuses_is_the_error_that_the_sdk_knows(
    client: openai.OpenAI,
    stub_model: StubModel,
    step: str,
    kind: type[openai.APIStatusError],
    status: int,
    code: str,
    stream: bool,
) -> None:
    stub_model.script(step)
    with pytest.raises(kind) as caught:
        ask(client, said(STORY), stream=stream)
    assert (caught.value.status_code, str(caught.value.code)) == (status, code)
    assert set(caught.value.body) == {"message", "type", "param", "code"}  # type: ignore[call-overload]
    assert "scripted" not in caught.value.response.text
    if step == "429:7":
        assert caught.value.response.headers["retry-after"] == "7"
    row = reply_row()
    assert (row.state, row.content) == ("failed", "")
    assert row.assessment is not None
    assert (row.assessment.state, row.assessment.user_message) == (State.QUEUED, STORY)


def test_an_sdk_that_retries_says_the_same_thing_once(
    model_web: Web, stub_model: StubModel, key: MakeKey, make_client: MakeClient
) -> None:
    stub_model.script("500", "503")
    client = make_client(model_web, key(), max_retries=2)
    answer = ask(client, said(STORY))
    assert len(stub_model.requests) == 3
    reply = answer.choices[0].message.content
    assert turns() == [("user", "done", STORY), ("assistant", "done", reply)]
    assert Assessment.objects.get().assistant_response == reply
    # Ebb's own key is refused: to ask again would not help.
    stub_model.script("401")
    with pytest.raises(openai.InternalServerError, match="refused the API key"):
        ask(client, said("hello"))
    assert len(stub_model.requests) == 4


@pytest.mark.parametrize("stream", [False, True])
def test_half_a_character_is_the_callers_error(
    model_web: Web, stub_model: StubModel, key: MakeKey, stream: bool
) -> None:
    """JavaScript cuts a text in the middle of an emoji, and sends the half."""
    body = {"messages": said("I like \ud83c"), "stream": stream}
    answer = httpx2.post(
        f"{model_web.url}/v1/chat/completions",
        content=json.dumps(body),
        headers={"Authorization": f"Bearer {key()}"},
        timeout=90,
    )

    assert answer.status_code == 400
    assert "surrogate" in answer.json()["error"]["message"]
    assert not stub_model.requests
    assert turns() == [("user", "done", "I like \ufffd"), ("assistant", "failed", "")]


@pytest.mark.parametrize("call", ["completions", "images/generations", "audio/speech"])
def test_a_call_that_ebb_does_not_know_is_told_those_that_it_does(
    client: openai.OpenAI, call: str
) -> None:
    with pytest.raises(openai.NotFoundError, match="Use POST /v1/chat/completions"):
        client.post(f"/{call}", body={"model": "ebb", "input": STORY}, cast_to=object)


@pytest.mark.parametrize("step", ["garbage", "half", "close:0"])
def test_a_whole_answer_that_is_none_is_an_error(
    client: openai.OpenAI, stub_model: StubModel, step: str
) -> None:
    stub_model.script(step)
    with pytest.raises(openai.InternalServerError) as caught:
        ask(client, said(STORY))
    assert (caught.value.status_code, caught.value.code) == (502, "model_failed")
    assert reply_row().state == "failed"


@pytest.mark.parametrize(
    ("step", "come"),
    [("error:3", "You said: I"), ("close:3", "You said: I"), ("cut:3", "You said: I"),
     ("garbage", ""), ("close:0", "")],
)  # fmt: skip
def test_a_stream_that_breaks_ends_with_an_error(
    client: openai.OpenAI, stub_model: StubModel, step: str, come: str
) -> None:
    stub_model.script(step)
    pieces: list[str] = []
    stream = ask(client, said(STORY), stream=True)
    with pytest.raises(openai.APIError) as caught:
        pieces.extend(chunk.choices[0].delta.content or "" for chunk in stream)
    assert caught.value.code == "model_failed"
    assert (reply_row().state, reply_row().content) == ("failed", "".join(pieces))
    assert "".join(pieces) == come


def test_a_client_that_leaves_ends_the_request_and_the_reply(
    client: openai.OpenAI, stub_model: StubModel
) -> None:
    stub_model.script("stall:4")
    with ask(client, said(STORY), stream=True) as stream:
        chunks = iter(stream)
        seen = "".join(next(chunks).choices[0].delta.content or "" for _ in range(4))
    wait_until(lambda: reply_row().state == "stopped", what="the end of the reply")
    assert reply_row().content == seen
    stub_model.until_left()


def test_whoever_leaves_at_any_moment_leaves_nothing_open(
    model_web: Web, stub_model: StubModel, key: MakeKey
) -> None:
    stub_model.control.delay_ms = 2
    headers = {"Authorization": f"Bearer {key()}"}
    url = f"{model_web.url}/v1/chat/completions"
    body = {"messages": said(STORY), "user": "ana"}
    for number in range(50):
        hasty = body | {"stream": bool(number % 2)}
        with httpx2.Client(timeout=httpx2.Timeout(90, read=0.002 * (number + 1))) as client:
            try:
                with client.stream("POST", url, json=hasty, headers=headers) as response:
                    next(response.iter_raw(), None)
            except httpx2.ReadTimeout:
                pass
    # Who came before the one that waits has been heard, too.
    assert httpx2.post(url, json=body, headers=headers, timeout=90).status_code == 200
    unfinished = Message.objects.filter(state__in=["pending", "streaming"])
    wait_until(lambda: not unfinished.exists(), what="the end of all replies")
    stub_model.until_left()
    assert Message.objects.exists()


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": said("hello"), "user": "x" * 201}, "user"),
        ({"messages": said("hello"), "ebb": {"memory": "sometimes"}}, "ebb.memory"),
        ({"messages": said("hello"), "ebb": {"profile": "nonsense"}}, "profile"),
        ({"messages": said("hello"), "ebb": {"profiles": "vivid"}}, "ebb.profiles"),
        (b"{", None),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_no_request_is_refused(
    client: openai.OpenAI, body: dict[str, Any] | bytes, param: str | None
) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    refused = httpx2.post(
        f"{client.base_url}chat/completions",
        content=content,
        headers={"Authorization": f"Bearer {client.api_key}", "Content-Type": "application/json"},
        timeout=90,
    )
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert turns() == []
