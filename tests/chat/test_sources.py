"""The origin of a memory as its page tells it: an assessed exchange, a tool of the model, or
somebody who wrote it."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Space, User
from chat.conversations.services import delete_conversation
from chat.models import Message
from foundation.actors import Actor
from memory.drafts import MemoryDraft, Source
from memory.models import Memory
from memory.reconciliation.services import remember as reconcile
from memory.store.services import prepare_memories
from memory.tools import TOOL
from tests.chat.test_edits import assessed, at, turn
from tests.conftest import Answer
from tests.memory.writing import remember

pytestmark = pytest.mark.django_db


def _source(user: User, memory: Memory) -> Answer:
    client = Client()
    client.force_login(user)
    answer = client.get(reverse("memory_source", args=[memory.space.slug, memory.pk]))
    assert answer.status_code == 200, answer.content
    return answer


def _plain(answer: Answer) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", answer.content.decode()).split())


def _links(answer: Answer) -> list[str]:
    return re.findall(r'<a [^>]*href="([^"]*)"', answer.content.decode())


def test_an_exchange_leads_to_its_conversation_and_its_assessment(
    alice: User, space: Space
) -> None:
    reply = turn(space, "I moved to Porto <b>")
    memory = assessed(reply, 2)

    answer = _source(alice, memory)

    assert "I moved to Porto &lt;b&gt;" in _plain(answer)
    conversation = reverse("conversation", args=[space.slug, reply.conversation_id])
    assert _links(answer) == [
        f"{conversation}#message-{reply.pk}",
        reverse("assessment", args=[space.slug, memory.source_assessment]),
    ]
    delete_conversation(space=space, conversation_id=reply.conversation_id, now=at(5))
    assert len(_links(_source(alice, memory))) == 1


def test_what_the_model_kept_by_a_tool_leads_to_the_reply_it_was_writing(
    alice: User, space: Space
) -> None:
    reply = turn(space, "Please remember that I like tea")
    source = Source(role=TOOL, conversation_id=str(reply.conversation_id))
    draft = MemoryDraft(content="User likes tea", source=source)
    prepared = prepare_memories(space=space, drafts=[draft], now=at(1))
    memory = reconcile(prepared=prepared, actor=Actor("assistant", "gpt"), now=at(1)).memory
    call = {"name": "remember", "ok": True, "memory": {"id": str(memory.pk)}, "arguments": {}}
    Message.objects.filter(pk=reply.pk).update(tool_calls=[call], content="**Done.**")

    answer = _source(alice, memory)

    assert "Please remember that I like tea" in _plain(answer)
    assert "The model saved it with a tool while it answered." in _plain(answer)
    assert "<strong>Done.</strong>" in answer.text
    [link] = _links(answer)
    assert link.endswith(f"{reply.conversation_id}/#message-{reply.pk}")


def test_what_somebody_wrote_says_who(alice: User, space: Space) -> None:
    plain = remember(space, "User likes tea")
    named = remember(space, "User likes jazz", source={"conversation_id": "chat <7>"})

    assert "Not learned from a conversation: alice wrote it." in _plain(_source(alice, plain))
    assert "Conversation: chat &lt;7&gt;" in _plain(_source(alice, named))
    assert _links(_source(alice, plain)) == _links(_source(alice, named)) == []


def test_what_came_without_a_history_says_so(alice: User, space: Space) -> None:
    memory = Memory.objects.create(space=space, short_id="0" * 8, content="old", importance=0.5)

    assert "Source unknown" in _plain(_source(alice, memory))
