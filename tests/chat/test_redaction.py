"""Redaction: a secret that masking found, or the source of a purged memory, leaves the chat."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEntry, Space, User
from assessor.models import Assessment, State
from assessor.outbox.services import finish
from chat.conversations.redaction import REDACTED, redact_secrets
from chat.models import Conversation, Message, StoredResponse
from chat.replies.services import Reply, finish_reply
from chat.replies.turns import NewConversation, begin_turn
from foundation.errors import Conflict, NotFound
from memory.models import Memory, Status
from memory.retention.recycle_bin import delete_memory
from tests.assessor.outbox import assessment_result, claim
from tests.memory.writing import ALICE
from tests.pages import login

pytestmark = pytest.mark.django_db

SECRET = "hunter2-Xq9"
SAID = f"My password for the router is {SECRET}. I live in Porto."
NOTE = "Secrets are masked in memories. The conversation still shows them."


def exchange(
    space: Space,
    said: str,
    answer: str,
    conversation: Conversation | None = None,
    summary: str = "User lives in Porto",
) -> Message:
    """A finished exchange that was assessed; its reply."""
    where = conversation.pk if conversation else NewConversation()
    reply = begin_turn(space=space, text=said, now=timezone.now(), claimed=True, conversation=where)
    call = {"name": "search_memories", "arguments": {"query": SECRET}, "ok": True, "text": answer,
            "memory": None}  # fmt: skip
    finish_reply(
        message=reply,
        reply=Reply("done", answer, "stub", [], [], tool_calls=[call]),
        now=timezone.now(),
    )
    assert reply.assessment is not None
    row = claim(reply.assessment, timezone.now())
    assert row is not None
    result = assessment_result(summary=summary, tags=["home"])
    finish(assessment=row, result=result, now=timezone.now())
    reply.refresh_from_db()
    return reply


@pytest.fixture
def told(space: Space) -> Message:
    """The reply to a message with a password, which it repeats; a later message, too."""
    reply = exchange(space, SAID, f"{SECRET} is a weak one.")
    again = f"I use {SECRET} everywhere"
    exchange(space, again, "Please change it.", reply.conversation, "User repeats one password")
    StoredResponse.objects.create(
        id="resp_0f3a9c51e7b24d68",
        space=space,
        conversation=reply.conversation,
        items=[{"role": "user", "content": SAID}],
        body={"id": "resp_0f3a9c51e7b24d68", "output": [{"text": f"{SECRET} is a weak one."}]},
        created_at=timezone.now(),
    )
    return reply


def everything(space: Space) -> str:
    """All rows of the chat and the assessor."""
    models = (Conversation, Message, StoredResponse, Assessment, Memory)
    rows = [list(model.objects.filter(space_id=space.pk).values()) for model in models]
    return json.dumps(rows, default=str)


def test_the_chat_says_that_it_still_shows_a_secret(
    space: Space, alice: User, bob: User, told: Message
) -> None:
    assert not Memory.objects.filter(content__contains=SECRET).exists()
    url = reverse("conversation", args=[space.slug, told.conversation_id])
    redact = reverse("exchange_redact", args=[space.slug, told.pk])

    page = login(alice).get(url).content.decode()

    assert NOTE in page
    assert redact in page
    assert "can't be undone" in page.replace("&#x27;", "'")
    Conversation.objects.update(user_id="bob")
    assert redact not in login(bob).get(url).content.decode()
    assert login(bob).post(redact).status_code == 403


def test_a_secret_leaves_the_whole_conversation(space: Space, alice: User, told: Message) -> None:
    client, url = login(alice), reverse("exchange_redact", args=[space.slug, told.pk])
    assert everything(space).count(SECRET) > 5

    answer = client.post(url)

    assert answer.status_code == 302
    assert SECRET not in everything(space)
    said = Message.objects.filter(conversation=told.conversation_id).order_by("position")
    assert said[0].content == "My password for the router is [password]. I live in Porto."
    assert said[1].content == "[password] is a weak one."
    assert said[2].content == "I use [password] everywhere"
    stored = StoredResponse.objects.get()
    assert stored.body["id"] == stored.pk
    assert set(Memory.objects.values_list("status", flat=True)) == {Status.LIVE}
    entry = AuditEntry.objects.in_space(space).get(action="message.redacted")
    assert (entry.actor_name, entry.subject) == ("alice", str(told.conversation_id))
    assert NOTE not in client.get(answer["Location"]).content.decode()


def test_a_page_is_told_to_load_again_and_a_second_time_to_stop(
    space: Space, alice: User, told: Message
) -> None:
    url = reverse("exchange_redact", args=[space.slug, told.pk])
    htmx = Client(headers={"HX-Request": "true"})
    htmx.force_login(alice)

    assert htmx.post(url)["HX-Refresh"] == "true"
    again = htmx.post(url)
    assert again["HX-Reswap"] == "none"
    assert "already redacted" in again.content.decode()
    assert AuditEntry.objects.filter(action="message.redacted").count() == 1


def test_nothing_is_redacted_while_a_reply_is_written(space: Space, told: Message) -> None:
    begin_turn(space=space, text="And now?", now=timezone.now(), conversation=told.conversation_id)
    before = everything(space)

    with pytest.raises(Conflict, match="still being written"):
        redact_secrets(
            space=space, conversation_id=told.conversation_id, actor=ALICE, now=timezone.now()
        )

    assert everything(space) == before


def test_another_space_redacts_nothing(space: Space, other_space: Space, told: Message) -> None:
    with pytest.raises(NotFound):
        redact_secrets(
            space=other_space, conversation_id=told.conversation_id, actor=ALICE,
            now=timezone.now(),
        )  # fmt: skip

    assert SECRET in everything(space)


def test_an_exchange_without_a_secret_gets_no_note(space: Space, alice: User) -> None:
    reply = exchange(space, "I live in Porto", "Noted.")

    page = login(alice).get(reverse("conversation", args=[space.slug, reply.conversation_id]))

    assert NOTE not in page.content.decode()


def test_a_secret_alone_becomes_no_memory(space: Space) -> None:
    reply = begin_turn(
        space=space, text=f"my password is {SECRET}", now=timezone.now(), claimed=True
    )
    finish_reply(message=reply, reply=Reply("done", "Noted.", "stub", [], []), now=timezone.now())
    assert reply.assessment is not None
    row = claim(reply.assessment, timezone.now())
    assert row is not None

    result = assessment_result(summary=f"User's password is {SECRET}")
    finish(assessment=row, result=result, now=timezone.now())

    assert Assessment.objects.get().state == State.IGNORED
    assert not Memory.objects.exists()


@pytest.mark.parametrize("with_sources", [True, False])
def test_a_purge_redacts_the_source_if_asked(space: Space, alice: User, with_sources: bool) -> None:
    reply = exchange(space, "I live in Porto", "Porto is lovely.")
    exchange(space, "I paint at noon", "Noted.", reply.conversation, "User paints at noon")
    memory = Memory.objects.get(content="User lives in Porto")
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=timezone.now())
    asked = {"id": [str(memory.pk)]} | ({"with_sources": "on"} if with_sources else {})
    page = login(alice).get(reverse("bin", args=[space.slug])).content.decode()
    assert 'name="with_sources"' in page

    login(alice).post(reverse("bin_purge", args=[space.slug]), asked)

    said = Message.objects.order_by("position").values_list("content", flat=True)
    first = [REDACTED, REDACTED] if with_sources else ["I live in Porto", "Porto is lovely."]
    assert list(said) == [*first, "I paint at noon", "Noted."]
    assert ("Porto" in everything(space)) is not with_sources
    assert not Memory.objects.filter(pk=memory.pk).exists()


def test_a_purge_changes_nothing_if_its_source_is_still_being_written(
    space: Space, alice: User
) -> None:
    reply = exchange(space, "I live in Porto", "Porto is lovely.")
    memory = Memory.objects.get()
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=timezone.now())
    begin_turn(space=space, text="And now?", now=timezone.now(), conversation=reply.conversation_id)
    asked = {"id": [str(memory.pk)], "with_sources": "on"}

    htmx = Client(headers={"HX-Request": "true"})
    htmx.force_login(alice)
    answer = htmx.post(reverse("bin_purge", args=[space.slug]), asked)

    assert "still being written" in answer.content.decode()
    assert Memory.objects.filter(pk=memory.pk, status=Status.BINNED).exists()
    assert Message.objects.filter(content="I live in Porto").exists()
