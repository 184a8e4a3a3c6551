"""`POST chat` with an Idempotency-Key, through the real web server: one message, one reply."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from assessor.models import Assessment
from chat.models import Message
from tests.chat.talking import Talker, events_of, names, text
from tests.conftest import MakeKey
from tests.processes import Web, wait_until
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

STORY = "I like long walks along the river"


@pytest.fixture
def talker(
    model_web: Web, stub_model: StubModel, key: MakeKey, talk: Callable[[str, str], Talker]
) -> Talker:
    return talk(model_web.url, key())


def say(talker: Talker, key: str = "once", **options: Any) -> httpx2.Response:
    body = {"message": STORY, **options}
    return talker.client.post("chat", json=body, headers={"Idempotency-Key": key})


def shown() -> list[tuple[str, str]]:
    rows = Message.objects.shown().order_by("position")
    return list(rows.values_list("role", "state"))


def test_a_repeated_call_gets_the_first_reply(talker: Talker, stub_model: StubModel) -> None:
    first = say(talker).json()
    again = say(talker)
    streamed = say(talker, stream=True)

    assert (again.status_code, again.json()) == (200, first)
    events = list(events_of(streamed.iter_lines()))
    assert names(events) == ["recalled", "token", "done"]
    assert (text(events), events[-1].data) == (first["reply"], first)
    assert len(stub_model.requests) == 1
    assert shown() == [("user", "done"), ("assistant", "done")]
    assert say(talker, "another").json()["conversation_id"] != first["conversation_id"]


def test_a_failed_reply_is_kept_and_answered_again_by_the_same_key(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script("500")
    failed = say(talker)
    stored = Message.objects.get(role="assistant")
    assert (failed.status_code, failed.json()["code"]) == (503, "model_unavailable")
    assert failed.json()["kept"] == {
        "conversation_id": str(stored.conversation_id),
        "message_id": str(stored.pk),
    }

    again = say(talker).json()

    assert again["conversation_id"] == str(stored.conversation_id)
    assert again["message_id"] != str(stored.pk)
    assert say(talker).json() == again
    assert shown() == [("user", "done"), ("assistant", "done")]
    assert Message.objects.filter(role="user").count() == 1
    assert Assessment.objects.get().assistant_response == again["reply"]


def test_a_refused_call_keeps_nothing(talker: Talker) -> None:
    refused = say(talker, colour="red")

    assert refused.status_code == 422
    assert "kept" not in refused.json()
    assert not Message.objects.exists()


def test_a_key_waits_for_its_reply(talker: Talker, stub_model: StubModel) -> None:
    stub_model.script("stall:2")
    headers = {"Idempotency-Key": "once"}
    body = {"message": STORY, "stream": True}
    with talker.client.stream("POST", "chat", json=body, headers=headers) as answer:
        lines = answer.iter_lines()  # without a reference to it, the stream would be closed
        next(lines)
        assert (say(talker).status_code, shown()[1][1]) == (409, "streaming")
        stub_model.until_asked()
    wait_until(lambda: shown()[1][1] == "stopped", what="the end of the reply")

    again = say(talker)
    assert again.status_code == 200, again.text
    assert shown() == [("user", "done"), ("assistant", "done")]


def test_a_key_does_not_replace_what_was_said_after_it(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script("500")
    kept = say(talker).json()["kept"]
    talker.say("And in winter?", conversation_id=kept["conversation_id"])

    assert say(talker).json()["code"] == "conflict"
    talker.client.delete(f"conversations/{kept['conversation_id']}")
    assert say(talker).json()["code"] == "not_found"
