"""A conversation that is longer than the model can read is answered from its newest messages."""

import pytest

from tests.chat.talking import Talker
from tests.chat.tool_calls import talker
from tests.stub_model import StubModel

__all__ = ["talker"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

# llama.cpp; llama-cpp-python, which breaks the stream off; LM Studio, which ends it without a word.
WAYS = ["refused:400 request exceeds the available context size", "cut:0", "empty"]


def texts(stub_model: StubModel) -> list[list[str]]:
    """The messages of each request, without the system prompt."""
    return [
        [one["content"] for one in request.body["messages"] if one["role"] != "system"]
        for request in stub_model.requests
    ]


@pytest.mark.parametrize("step", WAYS)
def test_the_model_is_asked_again_with_the_newer_half(
    talker: Talker, stub_model: StubModel, step: str
) -> None:
    told = talker.say("first").json()
    again = {"conversation_id": told["conversation_id"]}
    talker.say("second", **again)
    stub_model.script(step, step)

    answer = talker.say("third", **again)

    assert answer.status_code == 200
    assert answer.json()["reply"].startswith("You said: third")
    whole, half, question = texts(stub_model)[-3:]
    assert whole == ["first", "You said: first", "second", "You said: second", "third"]
    assert half == ["second", "You said: second", "third"]
    assert question == ["third"]


def test_a_question_that_is_too_long_by_itself_says_so(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script(WAYS[0])

    answer = talker.say("a long question")

    assert answer.status_code == 503
    assert "longer than this model can read" in answer.json()["detail"]
    assert len(stub_model.requests) == 1
