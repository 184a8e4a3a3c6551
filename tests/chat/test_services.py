"""A conversation's writes: what is said is safe before a model is asked anything."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from accounts.models import Space
from assessor.models import Assessment, State
from chat.conversations.services import delete_conversation
from chat.models import REPLY_OVERDUE, Conversation, Message
from chat.replies.services import Reply, claim_reply, finish_reply
from chat.replies.turns import begin_turn
from foundation.actors import SYSTEM
from foundation.errors import Conflict, NotFound
from memory.drafts import MemoryDraft
from memory.models import Memory, MemoryEvent, PolicyVersion
from memory.policy import PolicyDocument
from tests.memory.writing import create_memory

NOW = datetime(2026, 2, 18, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(seconds=5)


def begin(space: Space, text: str = "I moved to Lisbon", **options: Any) -> Message:
    return begin_turn(space=space, text=text, now=options.pop("now", NOW), **options)


def reply(state: str = "done", content: str = "Nice.", **values: Any) -> Reply:
    return Reply(state, content, "stub", [], values.pop("memory_ids", []), **values)


def finished(space: Space, **options: Any) -> Message:
    message = begin(space, **options)
    assert claim_reply(space=space, message_id=message.pk)
    finish_reply(message=message, reply=reply(), now=LATER)
    return message


def test_a_turn_is_stored_whole_before_it_is_answered(space: Space) -> None:
    message = begin(space, "  I moved\nto   Lisbon  ")
    conversation = Conversation.objects.get()
    assert conversation.title == "I moved to Lisbon"
    said, answer = Message.objects.in_space(space).of(conversation)
    assert (said.role, said.state, said.content) == ("user", "done", "  I moved\nto   Lisbon  ")
    assert (answer.pk, answer.role, answer.state, answer.content) == (
        *(message.pk, "assistant", "pending", ""),
    )
    exchange = Assessment.objects.get()
    assert answer.assessment == exchange
    assert (exchange.state, exchange.due_at) == (State.QUEUED, NOW + REPLY_OVERDUE)
    assert exchange.source_conversation == str(conversation.pk)


def test_a_space_that_wants_no_assessment_gets_none(space: Space) -> None:
    document = PolicyDocument.model_validate({"assessment": {"enabled": False}})
    PolicyVersion.objects.create(space=space, version=2, document=document.model_dump(mode="json"))
    assert begin(space).assessment is None
    assert not Assessment.objects.exists()


@pytest.mark.parametrize("memory", ["read_only", "off"])
def test_a_conversation_that_teaches_nothing_is_not_assessed(space: Space, memory: str) -> None:
    message = finished(space, memory=memory)
    assert (message.assessment, message.conversation.memory) == (None, memory)
    again = begin(space, "And?", conversation=message.conversation_id, now=LATER)
    assert (again.assessment, again.conversation.memory) == (None, memory)
    assert not Assessment.objects.exists()


def test_memory_can_be_switched_in_the_middle(space: Space) -> None:
    message = finished(space, memory="off")
    begin(space, "Keep this", conversation=message.conversation_id, memory="on", now=LATER)
    assert Conversation.objects.get().memory == "on"
    assert Assessment.objects.get().user_message == "Keep this"


def test_a_reply_begun_by_its_writer_is_claimed_by_nobody_else(space: Space) -> None:
    message = begin(space, claimed=True)
    assert not claim_reply(space=space, message_id=message.pk)


def test_turns_stand_in_order(space: Space) -> None:
    first = finished(space)
    begin(space, "And I like it", conversation=first.conversation_id, now=LATER)
    positions = (
        Message.objects.in_space(space).of(first.conversation).values_list("position", "role")
    )
    assert list(positions) == [(1, "user"), (2, "assistant"), (3, "user"), (4, "assistant")]
    assert Conversation.objects.get().updated_at == LATER


@pytest.mark.parametrize("state", ["pending", "streaming"])
def test_a_second_turn_waits_for_the_reply_under_way(space: Space, state: str) -> None:
    message = begin(space)
    Message.objects.filter(pk=message.pk).update(state=state)
    with pytest.raises(Conflict):
        begin(space, conversation=message.conversation_id, now=NOW + REPLY_OVERDUE / 2)
    assert Message.objects.count() == 2
    assert Assessment.objects.count() == 1


@pytest.mark.parametrize("state", ["done", "stopped", "failed"])
def test_a_turn_may_follow_a_reply_that_has_ended(space: Space, state: str) -> None:
    message = begin(space)
    Message.objects.filter(pk=message.pk).update(state=state)
    assert begin(space, conversation=message.conversation_id, now=LATER).position == 4


def test_a_reply_of_a_dead_process_blocks_its_conversation_only_for_a_while(space: Space) -> None:
    message = begin(space)
    claim_reply(space=space, message_id=message.pk)
    later = NOW + REPLY_OVERDUE
    assert begin(space, conversation=message.conversation_id, now=later).position == 4


def test_another_spaces_conversation_does_not_exist(space: Space, other_space: Space) -> None:
    message = begin(space)
    for conversation_id in (message.conversation_id, uuid4()):
        with pytest.raises(NotFound):
            begin(other_space, conversation=conversation_id)
    with pytest.raises(NotFound):
        delete_conversation(space=other_space, conversation_id=message.conversation_id, now=NOW)
    assert Message.objects.in_space(other_space).count() == 0


def test_a_deleted_conversation_is_not_continued(space: Space) -> None:
    message = finished(space)
    delete_conversation(space=space, conversation_id=message.conversation_id, now=LATER)
    with pytest.raises(NotFound):
        begin(space, conversation=message.conversation_id)
    with pytest.raises(NotFound):
        delete_conversation(space=space, conversation_id=message.conversation_id, now=LATER)


def test_a_reply_is_claimed_once_and_in_its_space(space: Space, other_space: Space) -> None:
    message = begin(space)
    assert not claim_reply(space=other_space, message_id=message.pk)
    assert claim_reply(space=space, message_id=message.pk)
    assert not claim_reply(space=space, message_id=message.pk)


def test_finish_stores_the_reply_counts_uses_and_releases_the_exchange(space: Space) -> None:
    memory = create_memory(
        space=space, draft=MemoryDraft(content="User likes pizza"), actor=SYSTEM, now=NOW
    )
    message = begin(space)
    claim_reply(space=space, message_id=message.pk)
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    finish_reply(message=message, reply=reply(memory_ids=[memory.pk], usage=usage), now=LATER)
    message.refresh_from_db()
    assert (message.state, message.content, message.usage) == ("done", "Nice.", usage)
    used = Memory.objects.get()
    assert (used.use_count, used.last_active_at) == (1, LATER)
    assert MemoryEvent.objects.in_space(space).filter(action="used").count() == 1
    exchange = Assessment.objects.get()
    assert (exchange.assistant_response, exchange.due_at) == ("Nice.", LATER)


def test_only_a_memory_that_the_answer_used_starts_a_new_lifetime(space: Space) -> None:
    pizza, soup = (
        create_memory(
            space=space,
            draft=MemoryDraft(content=content, importance=0.1),
            actor=SYSTEM,
            now=NOW,
        )
        for content in ("User likes pizza with anchovies", "User had tomato soup")
    )
    message = begin(space)
    claim_reply(space=space, message_id=message.pk)
    recalled = [
        {"memory": {"id": str(memory.pk), "content": memory.content}} for memory in (pizza, soup)
    ]
    said = "Then order the pizza with anchovies."
    ended = replace(reply(content=said, memory_ids=[pizza.pk, soup.pk]), recalled=recalled)
    for _ in range(2):  # a job that runs twice counts once
        finish_reply(message=message, reply=ended, now=LATER)

    uses = dict(Memory.objects.values_list("content", "use_count"))
    assert set(uses.values()) == {1}
    renewed = MemoryEvent.objects.in_space(space).filter(action="renewed")
    assert [event.memory_id for event in renewed] == [pizza.pk]
    assert Memory.objects.get(pk=soup.pk).clock_started_at == NOW
    counted = Memory.objects.values_list("content", "times_used", "times_unused")
    assert set(counted) == {(pizza.content, 1, 0), (soup.content, 0, 1)}


def test_the_built_in_responder_uses_only_what_it_quotes(space: Space) -> None:
    pizza, soup = (
        create_memory(space=space, draft=MemoryDraft(content=content), actor=SYSTEM, now=NOW)
        for content in ("User likes pizza with anchovies", "User had tomato soup")
    )
    message = begin(space)
    claim_reply(space=space, message_id=message.pk)
    recalled = [
        {"memory": {"id": str(memory.pk), "content": memory.content}} for memory in (pizza, soup)
    ]
    said = reply(content=f"- “{pizza.content}”", memory_ids=[pizza.pk, soup.pk])
    ended = replace(said, recalled=recalled, is_builtin=True)
    finish_reply(message=message, reply=ended, now=LATER)

    assert dict(Memory.objects.values_list("content", "use_count")) == {
        pizza.content: 1,
        soup.content: 0,
    }
    assert Memory.objects.get(pk=soup.pk).last_active_at is None


@pytest.mark.parametrize("left", [{"state": "stopped"}, {"goes_on": True}, {"is_cut": True}])
def test_an_answer_that_is_not_complete_says_nothing_about_what_it_did_not_use(
    space: Space, left: dict[str, Any]
) -> None:
    soup = create_memory(
        space=space, draft=MemoryDraft(content="User had soup"), actor=SYSTEM, now=NOW
    )
    message = begin(space)
    claim_reply(space=space, message_id=message.pk)
    ended = replace(reply(content="Then order", memory_ids=[soup.pk]), **left)
    finish_reply(message=message, reply=ended, now=LATER)

    stored = Memory.objects.get(pk=soup.pk)
    assert (stored.use_count, stored.counts) == (1, (0, 0, 0, 0))


def test_a_reply_ends_once(space: Space) -> None:
    memory = create_memory(
        space=space, draft=MemoryDraft(content="User likes pizza"), actor=SYSTEM, now=NOW
    )
    message = begin(space)
    claim_reply(space=space, message_id=message.pk)
    for state, content in (("done", "Nice."), ("stopped", "Ni")):
        finish_reply(
            message=message, reply=reply(state, content, memory_ids=[memory.pk]), now=LATER
        )
    message.refresh_from_db()
    assert (message.state, message.content) == ("done", "Nice.")
    assert Memory.objects.get().use_count == 1
