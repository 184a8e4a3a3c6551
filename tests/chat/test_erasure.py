"""A purge leaves a memory's text nowhere but in the conversation itself and other programs."""

import json
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import Space, WebhookEvent
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox.services import finish
from chat.models import Message
from chat.replies.services import Reply, finish_reply
from chat.replies.turns import begin_turn
from foundation.errors import NotFound
from memory.drafts import MemoryChange
from memory.memories.schemas import results_out
from memory.models import Memory, MemoryEvent, MemoryRevision, WebhookDelivery
from memory.recall.recall import SearchRequest, recall
from memory.retention.recycle_bin import delete_memory, purge_memories, purge_memory
from memory.store.services import revise_memory
from memory.webhooks.outbox import write_messages
from tests.assessor.outbox import assessment_result, claim, queued
from tests.conftest import ApiClient, MakeKey
from tests.memory.transfer.spaces import exported, imported, new_space
from tests.memory.webhooks.receiver import Receiver
from tests.memory.webhooks.webhook_rounds import hook, receiver, tell  # noqa: F401 - a fixture
from tests.memory.writing import ALICE, learn, remember

pytestmark = pytest.mark.django_db

WORD = "Zanzibar"


@pytest.fixture
def taught(space: Space) -> Memory:
    """A memory that an exchange taught, which was revised since."""
    exchange = Exchange(f"I was in {WORD} in May", f"{WORD} is lovely", context={"at": WORD})
    row = claim(queued(space, exchange))
    assert row is not None
    result = assessment_result(summary=f"User was in {WORD}", tags=[WORD.lower()], raw_answer=WORD)
    memory = finish(assessment=row, result=result, now=timezone.now())
    assert memory is not None
    change = MemoryChange(content=f"User was in {WORD} in May")
    revise_memory(space=space, memory_id=memory.pk, change=change, actor=ALICE, now=timezone.now())
    return Memory.objects.get(pk=memory.pk)


def replied(space: Space, memory: Memory, said: str = "Far away.") -> Message:
    """A reply for which the memory was recalled, and which a tool searched and changed."""
    message = begin_turn(space=space, text="where was I?", now=timezone.now(), claimed=True)
    found = results_out(
        recall(space, SearchRequest("where was I in May?"), now=timezone.now()).results
    )
    assert WORD in json.dumps(found)
    call = {
        "name": "search_memories", "arguments": {"query": WORD}, "ok": True, "memory": None,
        "text": f"- [2026-05-01] {memory.content} (92% match, id: {memory.short_id})",
    }  # fmt: skip
    reply = Reply("done", said, "stub", found, [memory.pk], missed=found, tool_calls=[call])
    finish_reply(message=message, reply=reply, now=timezone.now())
    message.refresh_from_db()
    return message


def purge(space: Space, memory: Memory) -> None:
    now = timezone.now()
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=now)
    purge_memory(space=space, memory_id=memory.pk, actor=ALICE, now=now)


def test_the_text_is_nowhere_and_the_purge_is_on_record(
    space: Space,
    taught: Memory,
    key: MakeKey,
    receiver: Receiver,  # noqa: F811 - the fixture
) -> None:
    webhook = hook(space, receiver.url)
    created = MemoryEvent.objects.get(memory_id=taught.pk, action="created")
    write_messages(space_id=space.pk, event=WebhookEvent.CREATED, event_ids=[created.pk])
    assert WORD in json.dumps([message.payload for message in tell(webhook)])
    reply = replied(space, taught)
    assert exported(space).decode().count(WORD) > 8

    purge(space, taught)

    assert WORD.lower() not in exported(space).decode().lower()
    assert WORD not in json.dumps(list(WebhookDelivery.objects.values_list("payload", flat=True)))
    reader = ApiClient(key(space, ["read"]))
    for call in ("history", "assessments", f"conversations/{reply.conversation_id}", "memories"):
        assert WORD.lower() not in reader.get(call).content.decode().lower(), call
    [purged] = reader.get("history?action=purged").json()["items"]
    assert purged["actor"] == {"type": "user", "name": ALICE.name}
    assert (purged["memory_id"], purged["content"]) == (str(taught.pk), "")
    assert Assessment.objects.get(state=State.DONE).importance is not None
    reply.refresh_from_db()
    assert (reply.content, reply.tool_calls[0]["name"]) == ("Far away.", "search_memories")


def test_later_exchanges_forget_what_their_replies_quoted(space: Space, taught: Memory) -> None:
    reply = replied(space, taught, said=f"You told me: “{taught.content}”.")
    exchange = reply.assessment
    assert exchange is not None
    assert WORD in exchange.assistant_response

    purge(space, taught)

    exchange.refresh_from_db()
    assert exchange.user_message == "where was I?"
    assert exchange.assistant_response == "You told me: “”."


def test_other_memories_forget_what_they_were_replaced_by(space: Space) -> None:
    learn(space, "User lives in Lisbon")
    learn(space, f"User lives in {WORD}")
    newer = Memory.objects.in_space(space).live().get()
    told = MemoryEvent.objects.in_space(space).exclude(memory_id=newer.pk)
    assert WORD in " ".join(told.values_list("reason", flat=True))

    purge(space, newer)

    assert WORD not in exported(space).decode()
    assert list(told.filter(action="deleted").values_list("content", flat=True)) == [
        "User lives in Lisbon"
    ]


def test_only_the_purged_memory_is_erased(space: Space, taught: Memory) -> None:
    other = remember(space, "User owns a cat")
    change = MemoryChange(content="User owns two cats")
    revise_memory(space=space, memory_id=other.pk, change=change, actor=ALICE, now=timezone.now())

    purge(space, taught)

    events = MemoryEvent.objects.in_space(space).filter(memory_id=other.pk).order_by("id")
    assert [event.content for event in events] == ["User owns a cat", "User owns two cats"]
    assert MemoryRevision.objects.get(space=space).content == "User owns a cat"


def test_what_remains_can_be_exported_and_imported(space: Space, taught: Memory) -> None:
    replied(space, taught)
    purge(space, taught)

    job = imported(new_space("new-home"), exported(space))

    assert (job.state, job.result.get("wrong", [])) == ("done", [])


def test_a_purge_that_is_refused_erases_nothing(space: Space, taught: Memory) -> None:
    delete_memory(space=space, memory_id=taught.pk, actor=ALICE, now=timezone.now())
    before = exported(space)
    unknown = [taught.pk, uuid4()]

    with pytest.raises(NotFound):
        purge_memories(space=space, memory_ids=unknown, actor=ALICE, now=timezone.now())

    assert exported(space) == before
