"""The stub model keeps what other tests rely on."""

import httpx2
import pytest

from assessor.llm import ChatMessage
from assessor.llm.errors import ModelServerError
from tests.assessor.llm_session import HELLO_REPLY, complete, run
from tests.processes import wait_until
from tests.stub_model import StubModel


def test_stub_model_quotes_the_first_memory_it_was_given(stub_model: StubModel) -> None:
    memories = "## RELEVANT MEMORIES\n\n- [2026-02-18] User likes pizza (92% match, id: abc123)"
    messages = [ChatMessage("system", memories), ChatMessage("user", "What do I like?")]

    completion = run(stub_model, lambda model: model.complete(messages, timeout=30))

    assert completion.text == (
        "You said: What do I like? I remember: "
        "- [2026-02-18] User likes pizza (92% match, id: abc123)"
    )


def test_stub_model_is_steered_over_http(stub_model: StubModel) -> None:
    control = stub_model.base_url.removesuffix("/v1") + "/control"
    wait_until(lambda: stub_model.open_connections == 0)

    told = httpx2.post(control, json={"script": ["500", "ok"]}, timeout=90).json()
    assert told["script"] == ["500", "ok"]
    with pytest.raises(ModelServerError):
        run(stub_model, complete)
    assert run(stub_model, complete).text == HELLO_REPLY
    wait_until(lambda: stub_model.open_connections == 0)

    seen = httpx2.get(control, timeout=90).json()
    assert [request["body"]["model"] for request in seen["requests"]] == ["stub", "stub"]
    assert (seen["script"], seen["open_connections"], seen["active_replies"]) == ([], 0, 0)


def test_what_a_test_leaves_ends_before_the_next_one(stub_model: StubModel) -> None:
    asked = {"messages": [{"role": "user", "content": "Hi"}], "stream": True}
    stub_model.script("stall:1", "500")
    with httpx2.stream(
        "POST", f"{stub_model.base_url}/chat/completions", json=asked, timeout=90
    ) as reply:
        stub_model.until_asked()

        stub_model.begin()

        stub_model.until_left()
        with pytest.raises(httpx2.RemoteProtocolError):
            reply.read()
    assert run(stub_model, complete).text == HELLO_REPLY
