"""A reply in a shared conversation may have followed the speaker's private rules: each answer shows
them only to readers of these memories."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from accounts.authentication import Access
from accounts.members.services import add_member
from accounts.models import Role, Space, User
from chat.models import Conversation, Message
from chat.replies.stored_turns import stored_reply
from chat.replies.writing import Done, Recalled
from foundation.actors import SYSTEM, Actor
from foundation.readers import EVERYONE, SHARED, Reader
from memory.memories.schemas import memories_out
from memory.policy import PolicyDocument
from memory.recall.standing import standing_rules
from memory.transfer.export import export_lines
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import remember
from tests.pages import login

OURS, PRIVATE = "Keep answers short", "Answer in Portuguese"
BOTH = [OURS, PRIVATE]


@pytest.fixture
def reply(space: Space) -> Message:
    """A reply to alice in a shared conversation."""
    remember(space, OURS, memory_type="preference", importance=0.9)
    remember(space, PRIVATE, memory_type="preference", importance=0.8, user_id="alice")
    rules = standing_rules(space, person="alice", rules=PolicyDocument(), now=timezone.now())
    assert [rule.content for rule in rules] == BOTH
    conversation = Conversation.objects.create(space=space, title="Hello")
    rows: Any = {"space": space, "conversation": conversation, "said_by": "alice"}
    Message.objects.create(**rows, position=1, role="user", content="Hello")
    said: Any = {"role": "assistant", "content": "Hi", "standing": memories_out(rules)}
    return Message.objects.create(**rows, position=2, **said)


def join(space: Space, name: str) -> User:
    user = User.objects.create_user(name)
    add_member(space=space, user=user, role=Role.VIEWER, actor=SYSTEM, now=timezone.now())
    return user


def contents(rules: Any) -> list[str]:
    return [rule["content"] for rule in rules]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("user", "seen"), [(None, [OURS]), ("ben", [OURS]), ("alice", BOTH), ("*", BOTH)]
)
def test_a_program_reads_the_rules_of_its_user(
    reply: Message, key: MakeKey, user: str | None, seen: list[str]
) -> None:
    headers = {"X-Ebb-User": user} if user else {}
    path = f"conversations/{reply.conversation_id}"
    answer = ApiClient(key()).call("GET", path, headers=headers).json()
    assert contents(answer["messages"][1]["standing"]) == seen


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "seen"), [("vera", [OURS]), ("alice", BOTH)])
def test_pages_show_a_viewer_only_shared_rules(
    space: Space, reply: Message, alice: User, name: str, seen: list[str]
) -> None:
    page = login(alice if name == "alice" else join(space, name))
    where = [space.slug, reply.conversation_id]
    files = ("conversation_json", "conversation_markdown")
    for address in (
        reverse("why", args=[space.slug, reply.pk]),
        reverse("conversation", args=where),
        reverse(files[0], args=where),
    ):
        shown = page.get(address).content.decode()
        assert [rule for rule in BOTH if rule in shown] == seen, address
    assert PRIVATE not in page.get(reverse(files[1], args=where)).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "shows"), [("vera", False), ("alice", True)])
def test_a_reply_with_private_rules_only_has_nothing_to_explain_to_a_viewer(
    space: Space, reply: Message, alice: User, name: str, shows: bool
) -> None:
    Message.objects.filter(pk=reply.pk).update(standing=[reply.standing[1]])
    page = login(alice if name == "alice" else join(space, name))
    where = [space.slug, reply.conversation_id]
    why = reverse("why", args=[space.slug, reply.pk])

    assert (why in page.get(reverse("conversation", args=where)).content.decode()) == shows


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("name", "seen"), [("vera", [OURS]), ("alice", BOTH)])
def test_a_reply_that_is_written_shows_a_viewer_only_shared_rules(
    space: Space, reply: Message, alice: User, name: str, seen: list[str]
) -> None:
    client = AsyncClient()
    client.force_login(alice if name == "alice" else join(space, name))

    async def read() -> str:
        answer: Any = await client.get(reverse("reply", args=[space.slug, reply.pk]))
        return "".join([piece.decode() async for piece in answer.streaming_content])

    shown = async_to_sync(read)()
    assert "event: done" in shown
    assert [rule for rule in BOTH if rule in shown] == seen


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("reader", "seen"),
    [(SHARED, [OURS]), (EVERYONE, BOTH)],
)
def test_an_export_contains_the_rules_that_its_reader_sees(
    space: Space, reply: Message, reader: Reader, seen: list[str]
) -> None:
    lines = map(json.loads, export_lines(space, reader, now=timezone.now()))
    [standing] = [line["standing"] for line in lines if line.get("standing")]
    assert contents(standing) == seen


@pytest.mark.django_db
def test_a_repeated_call_gets_the_rules_that_it_may_see(space: Space, reply: Message) -> None:
    program = Access(space, Actor("key", "alice"), frozenset(), "key:1")
    member = replace(program, actor=Actor("user", "alice"))

    async def read(access: Access) -> list[list[str]]:
        events = [event async for event in stored_reply(reply, access)]
        assert isinstance(events[0], Recalled)
        assert isinstance(events[-1], Done)
        return [contents(events[0].standing), contents(events[-1].reply.standing)]

    assert asyncio.run(read(program)) == [[OURS], [OURS]]
    assert asyncio.run(read(member)) == [BOTH, BOTH]


@pytest.mark.django_db
def test_a_rule_of_nobody_knows_whom_is_only_for_readers_of_everything(
    reply: Message, key: MakeKey
) -> None:
    reply.standing = [{name: rule[name] for name in ("id", "content")} for rule in reply.standing]
    reply.save(update_fields=["standing"])
    path, client = f"conversations/{reply.conversation_id}", ApiClient(key())
    for user, seen in (("ben", []), ("*", BOTH)):
        answer = client.call("GET", path, headers={"X-Ebb-User": user}).json()
        assert contents(answer["messages"][1]["standing"]) == seen
