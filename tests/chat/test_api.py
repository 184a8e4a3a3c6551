"""Chat through the real web server: whatever the model does, the conversation is consistent."""

import time
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Space
from assessor.models import Assessment, State
from chat.models import Message
from memory.models import Memory
from tests.chat.talking import Talker, chats_with, names, read_until, text
from tests.conftest import MakeKey
from tests.processes import Web, wait_until
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

Talk = Callable[[str, str], Talker]

STORY = "I like long walks along the river in the evening when it is warm"


@pytest.fixture
def talker(model_web: Web, stub_model: StubModel, key: MakeKey, talk: Talk) -> Talker:
    """Talks to the stub model, with nothing scripted."""
    return talk(model_web.url, key())


def reply_row() -> Message:
    return Message.objects.select_related("assessment").get(role="assistant")


def assert_released(message: Message, asked: str = STORY) -> Assessment:
    """The exchange waits for a worker, with what there is of the reply."""
    assert message.assessment is not None
    assert (message.assessment.state, message.assessment.user_message) == (State.QUEUED, asked)
    assert message.assessment.assistant_response == message.content
    assert message.assessment.due_at <= timezone.now()
    return message.assessment


# --- A reply that goes well -----------------------------------------------------------------


def test_a_whole_reply(talker: Talker, lisbon: Memory, stub_model: StubModel) -> None:
    answer = talker.say("where do I live?").json()
    line = f"- [{lisbon.created_at:%Y-%m-%d}] User moved to Lisbon in March ("
    assert answer["reply"].startswith(f"You said: where do I live? I remember: {line}")
    assert f"% match, id: {lisbon.short_id})" in answer["reply"]
    [hit] = answer["recalled"]
    assert hit["memory"]["id"] == str(lisbon.pk)
    assert hit["match"] == f"{round(hit['similarity'] * 100)}% match"
    assert sum(hit["contributions"].values()) == pytest.approx(hit["score"], abs=1e-9)
    assert answer["model"] == "stub"
    assert answer["usage"]["completion_tokens"] > 0
    message = reply_row()
    assert answer["message_id"] == str(message.pk)
    assert answer["conversation_id"] == str(message.conversation_id)
    assert answer["assessment_id"] == str(message.assessment_id)
    assert (message.state, message.content, message.usage) == (
        *("done", answer["reply"], answer["usage"]),
    )
    lisbon.refresh_from_db()
    assert lisbon.use_count == 1


def test_a_streamed_reply_is_recalled_then_tokens_then_done(talker: Talker, lisbon: Memory) -> None:
    events = talker.events("where do I live?")
    assert names(events) == ["recalled", "token", "done"]
    done = events[-1].data
    assert text(events) == done["reply"] == reply_row().content
    assert events[0].data["results"] == done["recalled"] == reply_row().recalled
    assert done["message_id"] == str(reply_row().pk)
    assert done["recalled"][0]["memory"]["id"] == str(lisbon.pk)


def test_both_forms_answer_the_same(talker: Talker, lisbon: Memory) -> None:
    whole = talker.say("where do I live?").json()
    done = talker.events("where do I live?")[-1].data
    assert set(whole) == set(done)
    assert whole["reply"] == done["reply"]


def test_the_model_sees_what_was_said_before(talker: Talker, stub_model: StubModel) -> None:
    first = talker.say(STORY).json()
    talker.say("And in winter?", conversation_id=first["conversation_id"])
    system, *history = stub_model.requests[-1].body["messages"]
    assert system["role"] == "system"
    assert history == [
        {"role": "user", "content": STORY},
        {"role": "assistant", "content": first["reply"]},
        {"role": "user", "content": "And in winter?"},
    ]
    conversation = talker.client.get(f"conversations/{first['conversation_id']}").json()
    assert [message["role"] for message in conversation["messages"]] == ["user", "assistant"] * 2


def test_with_memory_off_nothing_is_looked_up_and_nothing_learned(
    talker: Talker, lisbon: Memory, stub_model: StubModel
) -> None:
    first = talker.say("where do I live?", memory="off").json()
    again = talker.say("And now?", conversation_id=first["conversation_id"]).json()
    for answer in (first, again):
        assert (answer["recalled"], answer["assessment_id"]) == ([], None)
    for asked in stub_model.requests:
        system = asked.body["messages"][0]["content"]
        assert "Lisbon" not in system
        assert "notes" not in system
    assert not Assessment.objects.exists()
    conversation = talker.client.get(f"conversations/{first['conversation_id']}").json()
    assert (conversation["memory"], len(conversation["messages"])) == ("off", 4)
    lisbon.refresh_from_db()
    assert lisbon.use_count == 0


def test_with_memory_read_only_it_is_recalled_and_nothing_learned(
    talker: Talker, lisbon: Memory
) -> None:
    done = talker.events("where do I live?", memory="read_only")[-1].data
    assert done["recalled"][0]["memory"]["id"] == str(lisbon.pk)
    assert done["assessment_id"] is None
    assert not Assessment.objects.exists()


def test_the_built_in_responder_answers_without_a_model(
    web: Web, key: MakeKey, talk: Talk, lisbon: Memory
) -> None:
    events = talk(web.url, key()).events("where do I live?")
    assert names(events) == ["recalled", "token", "done"]
    done = events[-1].data
    assert done["model"] == "built-in"
    assert "“User moved to Lisbon in March”" in done["reply"]
    assert text(events) == done["reply"]


# --- Who may say what where -----------------------------------------------------------------


def test_a_stranger_finds_no_conversation(
    talker: Talker, model_web: Web, key: MakeKey, talk: Talk, other_space: Space
) -> None:
    conversation_id = talker.say(STORY).json()["conversation_id"]
    stranger = talk(model_web.url, key(other_space))
    for options in ({}, {"stream": True}):
        refused = stranger.say("hello", conversation_id=conversation_id, **options)
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert stranger.client.get(f"conversations/{conversation_id}").status_code == 404
    assert stranger.client.delete(f"conversations/{conversation_id}").status_code == 404
    assert stranger.client.get("conversations").json()["items"] == []
    assert Message.objects.count() == 2


def test_reading_is_not_writing(model_web: Web, key: MakeKey, talk: Talk) -> None:
    reader = talk(model_web.url, key(scopes=["read"]))
    assert reader.say("hello").status_code == 403
    assert talk(model_web.url, "ebb_wrong").say("hello").status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"message": ""},
        {"message": "  \n "},
        {"message": "x" * 20_001},
        {"message": "a\x00b"},
        {"message": 7},
        {"message": "hello", "conversation_id": "nonsense"},
        {"message": "hello", "memory": "sometimes"},
    ],
    ids=lambda body: repr(body)[:40],
)
def test_what_is_no_message_is_refused(talker: Talker, body: dict[str, Any]) -> None:
    refused = talker.client.post("chat", json=body)
    assert (refused.status_code, refused.json()["code"]) == (422, "memory_invalid_arguments")
    assert not Message.objects.exists()


def test_a_turn_while_a_reply_is_under_way_is_a_conflict(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script("stall:2")
    with talker.stream(STORY) as events:
        assert next(events).name == "recalled"
        conversation_id = str(reply_row().conversation_id)
        refused = talker.say("hello", conversation_id=conversation_id)
        assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
        stub_model.until_asked()
    wait_until(lambda: reply_row().state == "stopped", what="the end of the reply")
    assert talker.say("hello", conversation_id=conversation_id).status_code == 200


# --- A model that fails ---------------------------------------------------------------------

# step → how much of the reply had come, a word of the error
FAILURES = [
    ("500", "", "returned an error"),
    ("401", "", "refused the API key. (HTTP 401)"),
    ("refused:401 bad key Bearer sk-proj-4f9Qd81kLm20Zx7", "", "refused the API key. (HTTP 401)"),
    ("429:5", "", "rate limit"),
    ("garbage", "", ""),
    ("half", "", ""),
    ("close:0", "", "was cut off"),
    ("close:3", "You said: I", "was cut off"),
    ("cut:3", "You said: I", "was cut off"),
    ("error:3", "You said: I", "returned an error"),
]


@pytest.mark.parametrize(("step", "come", "word"), FAILURES)
def test_a_failing_model_ends_the_stream_with_an_error(
    talker: Talker, stub_model: StubModel, step: str, come: str, word: str
) -> None:
    stub_model.script(step)
    events = talker.events(STORY)
    assert names(events) == ["recalled", *(["token"] if come else []), "error"]
    assert text(events) == come
    assert events[-1].data["code"] == "model_unavailable"
    assert events[-1].data["kept"]["message_id"] == str(reply_row().pk)
    assert word in events[-1].data["detail"]
    assert "sk-proj" not in str(events)
    assert "scripted" not in str(events)
    message = reply_row()
    assert (message.state, message.content) == ("failed", come)
    assert message.error == events[-1].data["detail"]
    assert_released(message)


@pytest.mark.parametrize(("step", "come", "word"), FAILURES)
def test_a_failing_model_is_a_503_for_who_waits(
    talker: Talker, stub_model: StubModel, step: str, come: str, word: str
) -> None:
    stub_model.script(step)
    answer = talker.say(STORY)
    assert (answer.status_code, answer.json()["code"]) == (503, "model_unavailable")
    assert word in answer.json()["detail"]
    message = reply_row()
    assert (message.state, message.content) == ("failed", come)
    assert_released(message)
    again = talker.say("Once more", conversation_id=str(message.conversation_id))
    assert again.status_code == 200


def test_what_cannot_be_stored_does_not_break_a_reply(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script("reply:a\x00b \ud83d lone \ud83d\ude00 pair")
    events = talker.events(STORY)
    assert names(events) == ["recalled", "token", "done"]
    assert reply_row().content == "a\ufffdb \ufffd lone 😀 pair" == events[-1].data["reply"]


def test_a_model_that_is_not_there(web: Web, key: MakeKey, talk: Talk) -> None:
    chats_with("away", "http://127.0.0.1:1/v1")
    answer = talk(web.url, key()).say(STORY)
    assert (answer.status_code, answer.json()["code"]) == (503, "model_unavailable")
    assert "cannot be reached" in answer.json()["detail"]
    assert reply_row().state == "failed"
    assessment = reply_row().assessment
    assert assessment is not None
    assert (assessment.state, assessment.user_message) == (State.DONE, STORY)


# --- A reader that leaves -------------------------------------------------------------------


def test_who_leaves_in_mid_stream_leaves_what_was_said(
    talker: Talker, stub_model: StubModel, lisbon: Memory
) -> None:
    stub_model.script("stall:4")
    with talker.stream("where do I live?") as events:
        said = read_until(events, "You said: where do")
    wait_until(lambda: reply_row().state == "stopped", what="the end of the reply")
    message = reply_row()
    assert message.content == said
    assert_released(message, "where do I live?")
    lisbon.refresh_from_db()
    assert lisbon.use_count == 1
    stub_model.until_left()


def test_who_leaves_before_the_first_token(talker: Talker, stub_model: StubModel) -> None:
    stub_model.script("timeout")
    with talker.stream(STORY) as events:
        assert next(events).name == "recalled"
        stub_model.until_asked()
    wait_until(lambda: reply_row().state == "stopped", what="the end of the reply")
    assert_released(reply_row())


def test_who_hangs_up_while_waiting_for_a_whole_reply(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script("stall:3")
    request = talker.client.build_request("POST", "chat", json={"message": STORY})
    waiting = HTTPConnection(request.url.host, request.url.port)
    waiting.request("POST", request.url.path, request.content, dict(request.headers))
    wait_until(lambda: stub_model.control.silent_replies == 1, what="the model's silence")
    # Whoever is answered now is answered after those three words have come.
    for _ in range(3):
        assert talker.client.get("health/live").status_code == 200
    waiting.close()
    wait_until(lambda: reply_row().state == "stopped", what="the end of the reply")
    assert reply_row().content == "You said: I"


def test_who_leaves_at_any_moment_leaves_no_open_reply(
    talker: Talker, stub_model: StubModel
) -> None:
    """Connections dropped after 0, 1, 2, … ms: in the claim, the recall, the tokens, the end."""
    stub_model.control.delay_ms = 2
    for milliseconds in range(0, 80, 2):
        body = {"message": STORY, "stream": True}
        request = talker.client.build_request("POST", "chat", json=body)
        response = talker.client.send(request, stream=True)
        time.sleep(milliseconds / 1000)
        response.close()
    open_replies = Message.objects.filter(state__in=["pending", "streaming"])
    wait_until(lambda: not open_replies.exists(), what="the end of all replies")
    replies = Message.objects.filter(role="assistant").select_related("assessment")
    assert {reply.state for reply in replies} <= {"stopped", "done"}
    for reply in replies:
        assert_released(reply)
