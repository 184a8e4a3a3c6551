"""The list of conversations through the API, and replies that are replaced there."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Space
from chat.models import Conversation, Message
from chat.replies.turns import begin_turn
from tests.chat.talking import Talker, names, read_until, text
from tests.conftest import ApiClient, MakeKey
from tests.processes import Web, wait_until
from tests.stub_model import StubModel


@pytest.fixture
def client(key: MakeKey) -> ApiClient:
    return ApiClient(key())


def said(space: Space, words: str, *, title: str = "") -> Conversation:
    reply = begin_turn(space=space, text=words, now=timezone.now())
    Message.objects.filter(pk=reply.pk).update(state="done", content="Noted, with 100% care.")
    if title:
        Conversation.objects.filter(pk=reply.conversation_id).update(title=title)
    return Conversation.objects.get(pk=reply.conversation_id)


def titles(client: ApiClient, **query: Any) -> list[str]:
    answer = client.get("conversations", **query)
    assert answer.status_code == 200, answer.content
    return [item["title"] for item in answer.json()["items"]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["西湖", "Dinner", "Travel"]),
        ("travel", ["Travel"]),
        ("LISBON", ["Travel"]),
        ("pasta allergic", ["Dinner"]),
        ("pasta lisbon", []),
        ("龙井茶", ["西湖"]),
        ("西湖 龙井", ["西湖"]),
        ("100% care", ["西湖", "Dinner", "Travel"]),
        ("_", []),
        ("said anew", []),
    ],
)
def test_a_search_finds_titles_and_what_was_said(
    client: ApiClient, space: Space, other_space: Space, query: str, found: list[str]
) -> None:
    said(other_space, "Lisbon pasta travel")
    said(space, "I moved to Lisbon in March", title="Travel")
    said(space, "I am allergic to nuts: what pasta can I eat?", title="Dinner")
    tea = said(space, "昨天在杭州喝了龙井茶", title="西湖")
    replaced = Message(space=space, conversation=tea, position=9, content="said anew, Lisbon")
    replaced.role, replaced.replaced_at = "user", timezone.now()
    replaced.save()
    assert titles(client, q=query) == found


def test_a_long_list_and_a_long_search_go_on_where_they_stopped(
    client: ApiClient, space: Space
) -> None:
    now = timezone.now()
    Conversation.objects.bulk_create(
        Conversation(space=space, title=f"Tea {n}", updated_at=now - timedelta(minutes=n // 2))
        for n in range(7)
    )
    for query in ({}, {"q": "tea"}):
        seen: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = client.get("conversations", limit=3, **query, **cursor).json()
            seen += [item["title"] for item in page["items"]]
            if page["next"] is None:
                break
            cursor = {"cursor": page["next"]}
        assert sorted(seen) == [f"Tea {n}" for n in range(7)]


@pytest.mark.parametrize("q", ["a\x00b", "x" * 201])
def test_what_is_no_search_is_refused(client: ApiClient, q: str) -> None:
    assert client.get("conversations", q=q).status_code == 422


def test_a_conversation_is_renamed(client: ApiClient, space: Space) -> None:
    conversation = said(space, "I like tea")
    address = f"conversations/{conversation.pk}"
    assert client.patch(address, {"title": "  Tea 🍵 "}).json()["title"] == "Tea 🍵"
    for title in ("", "  ", "x" * 121, "a\x00b", 7):
        assert client.patch(address, {"title": title}).status_code == 422
    # Nothing is half changed.
    assert client.patch(address, {"title": "Coffee", "profile": "vague"}).status_code == 422
    assert client.get(address).json()["title"] == "Tea 🍵"


def test_a_deleted_conversation_comes_back_whole(client: ApiClient, space: Space) -> None:
    conversation = said(space, "I like tea")
    address = f"conversations/{conversation.pk}"
    before = client.get(address).json()
    assert client.delete(address).status_code == 204
    assert titles(client) == titles(client, q="tea") == []
    assert client.get(address).status_code == 404
    assert client.patch(address, {"title": "x"}).status_code == 404
    assert client.post(f"{address}/restore").json()["title"] == "I like tea"
    assert client.get(address).json() == before


# --- Replies and messages that are replaced, through the real web server ---------------------


@pytest.fixture
def talker(
    model_web: Web, stub_model: StubModel, key: MakeKey, talk: Callable[[str, str], Talker]
) -> Talker:
    return talk(model_web.url, key())


def shown(talker: Talker, conversation_id: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = talker.client.get(f"conversations/{conversation_id}").json()[
        "messages"
    ]
    return messages


@pytest.mark.stack
@pytest.mark.django_db(transaction=True)
def test_a_failed_reply_is_tried_again_and_a_turn_is_said_anew(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script("close:3", "reply:Second *try*")
    assert talker.say("I like tea").status_code == 503
    conversation_id = str(Conversation.objects.get().pk)
    again = talker.client.post(f"conversations/{conversation_id}/regenerate").json()
    assert again["reply"] == "Second *try*"
    question, reply = shown(talker, conversation_id)
    assert (reply["id"], reply["state"]) == (again["message_id"], "done")
    for asked in stub_model.requests:
        assert [m["content"] for m in asked.body["messages"][1:]] == ["I like tea"]

    events = talker.events("I like coffee", at=f"messages/{question['id']}/edit")
    assert names(events) == ["recalled", "token", "done"]
    assert text(events) == "You said: I like coffee"
    assert stub_model.requests[-1].body["messages"][1:] == [
        {"role": "user", "content": "I like coffee"}
    ]
    assert [m["content"] for m in shown(talker, conversation_id)] == [
        *("I like coffee", "You said: I like coffee"),
    ]


@pytest.mark.stack
@pytest.mark.django_db(transaction=True)
def test_who_leaves_a_reply_that_is_written_anew_leaves_what_was_said(
    talker: Talker, stub_model: StubModel
) -> None:
    first = talker.say("I like tea").json()
    stub_model.script("stall:3")
    conversation_id = first["conversation_id"]
    again = f"conversations/{conversation_id}/regenerate"
    [question, _] = shown(talker, conversation_id)
    with talker.stream(None, at=again) as events:
        read_until(events, "You said: I")
        edit = f"messages/{question['id']}/edit"
        for address, body in ((again, {}), (edit, {"message": "I like coffee"})):
            assert talker.client.post(address, json=body).status_code == 409
    wait_until(lambda: shown(talker, conversation_id)[-1]["state"] == "stopped", what="its end")
    [question, stopped] = shown(talker, conversation_id)
    assert (question["content"], stopped["content"]) == ("I like tea", "You said: I")
