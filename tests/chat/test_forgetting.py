"""The built-in responder lists what it knows, and offers to delete what one asks it to forget."""

import asyncio
from contextlib import aclosing

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from chat.models import Message
from chat.replies.turns import begin_turn
from chat.replies.writing import stream_reply
from chat.responders.commands import Command, command_in, forget_what
from memory.models import Memory
from tests.chat.explained import call, text
from tests.memory.writing import remember, stored
from tests.pages import login

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("queue")]


def answered(space: Space, said: str, memory: str = "on") -> Message:
    """The reply of the built-in responder."""
    message = begin_turn(space=space, text=said, now=timezone.now(), claimed=True, memory=memory)

    async def whole() -> None:
        async with aclosing(stream_reply(message)) as events:
            async for _ in events:
                pass

    asyncio.run(whole())
    message.refresh_from_db()
    return message


def offered(message: Message) -> set[str]:
    return {hit["memory"]["content"] for hit in message.recalled if hit.get("offered")}


@pytest.fixture
def memories(space: Space) -> list[Memory]:
    texts = (
        "User moved to Lisbon in March", "User likes tea", "User is allergic to penicillin",
        "我在三月搬到了杭州", "我对花生过敏",
    )  # fmt: skip
    return [remember(space, content, now=timezone.now()) for content in texts]


@pytest.mark.parametrize(
    ("said", "meant", "beginning"),
    [
        ("Forget that I moved", {"User moved to Lisbon in March"}, "These memories are about"),
        ("please forget my allergy to penicillin", {"User is allergic to penicillin"}, "These"),
        ("忘掉我对花生过敏的事", {"我对花生过敏"}, "这些记忆"),
        ("请忘掉我搬家的事", {"我在三月搬到了杭州", "User moved to Lisbon in March"}, "这些"),
        ("forget my tax number", set(), "I have no memory about that."),
        ("forget it", set(), "Tell me what to forget"),
    ],
)
def test_what_is_meant_is_offered(
    space: Space, memories: list[Memory], said: str, meant: set[str], beginning: str
) -> None:
    message = answered(space, said)
    assert meant <= offered(message)
    assert len(offered(message)) <= 2
    assert beginning in message.content
    assert all(content in message.content for content in meant)
    assert all(stored(memory).status == "live" for memory in memories)


def test_a_button_deletes_and_another_brings_back(
    space: Space, alice: User, bob: User, memories: list[Memory]
) -> None:
    message, moved = answered(space, "Forget that I moved"), memories[0]
    page = login(alice).get(reverse("conversation", args=[space.slug, message.conversation_id]))
    address = reverse("offers", args=[space.slug, message.pk])
    assert f'hx-get="{address}"' in page.content.decode()
    assert "Delete" in text(login(alice).get(address))
    assert "Delete" not in text(login(bob).get(address))

    forget = reverse("why_forget", args=[space.slug, message.pk, moved.pk]) + "?offer"
    assert "in the bin: deleted" in text(login(alice).post(forget))
    assert stored(moved).status == "binned"
    restore = reverse("why_restore", args=[space.slug, message.pk, moved.pk]) + "?offer"
    assert "Delete" in text(login(alice).post(restore))
    assert stored(moved).status == "live"
    assert call(bob, message, "why_forget", moved).status_code == 403


@pytest.mark.parametrize("question", ["what do you know about me?", "你对我了解多少？"])
def test_what_it_knows_is_listed_by_type(space: Space, question: str) -> None:
    for number in range(4):
        remember(space, f"User likes tea number {number}", memory_type="preference")
    remember(space, "User's name is Ana", memory_type="identity")
    remember(space, "Bob likes tea", memory_type="preference", user_id="bob")

    content = answered(space, question).content
    zh = question.startswith("你")
    names = ("身份", "偏好") if zh else ("Identity", "Preference")
    assert content.index(f"**{names[0]}**") < content.index(f"**{names[1]}**")
    assert content.count("User likes tea number") == 4
    assert "Bob" not in content
    off = answered(space, question, memory="off").content
    assert "Ana" not in off


def test_a_long_list_says_that_there_is_more(space: Space) -> None:
    for number in range(21):
        remember(space, f"User has been to town number {number}")
    reply = answered(space, "what do you know about me?")
    content = reply.content
    assert "The Memories page lists everything:" in content
    assert content.count("town number") == len(reply.recalled) == 20


def test_the_most_important_are_listed_and_recalled_but_not_used(space: Space) -> None:
    for number in range(25):
        remember(space, f"User has been to town number {number}", importance=0.5)
    name = remember(space, "User's name is Ana", memory_type="identity", importance=0.9)

    reply = answered(space, "what do you know about me?")

    assert reply.recalled[0]["memory"]["id"] == str(name.pk)
    assert {hit["memory"]["content"] in reply.content for hit in reply.recalled} == {True}
    assert reply.uses == {}
    assert stored(name).use_count == 0


@pytest.mark.parametrize("question", ["What have I told you today?", "我今天告诉了你什么？"])
def test_what_was_saved_today_is_listed(space: Space, question: str) -> None:
    remember(space, "User lives in Porto")  # long ago
    zh = question.startswith("我")
    nothing = answered(space, question).content
    assert ("今天还没有。" if zh else "Nothing saved today yet.") in nothing
    remember(space, "User has a sister called Ana", now=timezone.now())

    reply = answered(space, question)

    assert "sister called Ana" in reply.content
    assert "Porto" not in reply.content
    assert len(reply.recalled) == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("forget that I moved", "I moved"),
        ("Please forget what I said about tea.", "tea"),
        ("forget about my allergy!", "my allergy"),
        ("forget everything", ""),
        ("Forget it.", ""),
        ("请忘记我搬家的事", "我搬家"),
        ("请删除我住在里斯本这件事。", "我住在里斯本"),
        ("忘了它", ""),
    ],
)
def test_what_is_to_be_forgotten(text: str, what: str) -> None:
    assert command_in(text) is Command.FORGET
    assert forget_what(text) == what


@pytest.mark.parametrize("text", ["我忘了带钥匙", "Don't forget that I moved", "别忘了我搬家了"])
def test_other_words_about_forgetting_ask_for_nothing(text: str) -> None:
    assert command_in(text) is not Command.FORGET
