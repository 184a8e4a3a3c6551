"""Answering anew and saying anew: nothing is lost, and no exchange is learned twice."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from accounts.models import Space
from assessor.models import Assessment, State
from assessor.outbox.services import claim, finish
from assessor.outbox.spans import wait_for_span
from chat.conversations.services import delete_conversation, restore_conversation
from chat.models import REPLY_OVERDUE, Conversation, Message
from chat.replies.edits import edit_message, undo_edit
from chat.replies.services import Reply, claim_reply, finish_reply
from chat.replies.turns import NewConversation, answer_again, begin_turn
from chat.replies.writing import said_so_far
from foundation.errors import Conflict, NotFound
from memory.drafts import MemoryChange
from memory.models import Memory
from memory.models.reasons import Reason
from memory.store.services import revise_memory
from memory.tools import TOOLS, Caller
from tests.assessor.outbox import assessment_result
from tests.memory.writing import ALICE, actions, remember, stored

NOW = datetime(2026, 2, 18, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def at(minute: int) -> datetime:
    return NOW + minute * MINUTE


def ended(message: Message, text: str, now: datetime, state: str = "done") -> Message:
    assert claim_reply(space=message.space, message_id=message.pk)
    finish_reply(message=message, reply=Reply(state, text, "stub", [], []), now=now)
    message.refresh_from_db()
    return message


def turn(space: Space, text: str, minute: int = 0, after: Message | None = None) -> Message:
    """The reply to what was said, done."""
    begun = begin_turn(
        space=space,
        text=text,
        now=at(minute),
        conversation=after.conversation_id if after else NewConversation(),
    )
    return ended(begun, f"So {text}", at(minute))


def assessed(reply: Message, minute: int, summary: str = "User moved to Porto") -> Memory:
    """The memory that an assessor made of the exchange."""
    assert reply.assessment_id is not None
    taken = claim(space_id=reply.space_id, assessment_id=reply.assessment_id, now=at(minute))
    assert taken is not None
    memory = finish(assessment=taken, result=assessment_result(summary=summary), now=at(minute))
    assert memory is not None
    return memory


def assessment_of(reply: Message) -> Assessment:
    assert reply.assessment_id is not None
    return Assessment.objects.get(pk=reply.assessment_id)


def asked(reply: Message) -> Message:
    return Message.objects.get(
        conversation=reply.conversation_id, position=reply.position - 1, role="user"
    )


def shown(reply: Message) -> list[str]:
    rows = Message.objects.in_space(reply.space).of(reply.conversation)
    return list(rows.shown().values_list("content", flat=True))


def edited(reply: Message, text: str, minute: int) -> Message:
    """The new reply, done, after what was asked was said anew."""
    said = asked(reply)
    new = edit_message(
        space=reply.space, message_id=said.pk, text=text, actor=ALICE, now=at(minute)
    )
    return ended(new, f"So {text}", at(minute))


# --- Answering anew -------------------------------------------------------------------------


def test_another_reply_takes_the_place_of_the_last(space: Space) -> None:
    first = turn(space, "I moved to Porto")
    again = answer_again(space=space, conversation_id=first.conversation_id, now=at(1))
    assert [message.content for message in said_so_far(again)[0]] == ["I moved to Porto"]
    ended(again, "Porto!", at(1))
    assert shown(again) == ["I moved to Porto", "Porto!"]
    first.refresh_from_db()
    assert (first.content, first.replaced_at) == ("So I moved to Porto", at(1))


def test_an_exchange_that_is_answered_anew_is_assessed_once_with_the_new_reply(
    space: Space,
) -> None:
    first = turn(space, "I moved to Porto")
    again = answer_again(space=space, conversation_id=first.conversation_id, now=at(1))
    [waiting] = Assessment.objects.all()
    assert waiting.due_at > at(10)
    assert again.assessment_id == waiting.pk
    first.refresh_from_db()
    assert first.assessment_id is None
    ended(again, "Porto!", at(2))
    memory = assessed(again, 3)
    third = answer_again(space=space, conversation_id=first.conversation_id, now=at(4))
    ended(third, "Porto?", at(4))
    [done] = Assessment.objects.all()
    assert (done.state, done.assistant_response, done.memory) == (State.DONE, "Porto!", memory)
    assert third.assessment_id == done.pk
    assert Memory.objects.live().get() == memory


def test_an_assessor_who_is_at_it_loses_the_exchange_that_is_answered_anew(space: Space) -> None:
    first = turn(space, "I moved to Porto")
    assert first.assessment_id is not None
    taken = claim(space_id=space.pk, assessment_id=first.assessment_id, now=at(1))
    assert taken is not None
    again = answer_again(space=space, conversation_id=first.conversation_id, now=at(1))
    assert finish(assessment=taken, result=assessment_result(), now=at(1)) is None
    wait_for_span(assessment=taken, idle=MINUTE, now=at(1))
    ended(again, "Porto!", at(2))
    assessed(again, 3)
    assert Memory.objects.count() == 1


def test_an_open_span_keeps_its_end_when_one_of_it_is_answered_anew(space: Space) -> None:
    first = turn(space, "I moved to Porto")
    assert first.assessment_id is not None
    taken = claim(space_id=space.pk, assessment_id=first.assessment_id, now=at(1))
    assert taken is not None
    wait_for_span(assessment=taken, idle=30 * MINUTE, now=at(1))
    again = answer_again(space=space, conversation_id=first.conversation_id, now=at(2))
    ended(again, "Porto!", at(3))
    waiting = Assessment.objects.get()
    assert (waiting.due_at, waiting.assistant_response) == (at(31), "Porto!")


@pytest.mark.parametrize("state", ["pending", "streaming"])
def test_nothing_is_replaced_while_a_reply_is_under_way(space: Space, state: str) -> None:
    first = turn(space, "I moved to Porto")
    second = begin_turn(space=space, text="And you?", now=at(1), conversation=first.conversation_id)
    Message.objects.filter(pk=second.pk).update(state=state)
    with pytest.raises(Conflict):
        answer_again(space=space, conversation_id=first.conversation_id, now=at(1))
    with pytest.raises(Conflict):
        edit_message(space=space, message_id=asked(first).pk, text="Hi", actor=ALICE, now=at(1))
    assert Message.objects.filter(replaced_at=None).count() == 4


# --- Saying anew ----------------------------------------------------------------------------


def test_an_edit_replaces_all_that_came_after(space: Space) -> None:
    first = turn(space, "I moved to Porto")
    second = turn(space, "And you?", 1, after=first)
    new = edited(first, "I moved to Braga", 2)
    assert shown(new) == ["I moved to Braga", "So I moved to Braga"]
    assert [message.content for message in said_so_far(new)[0]] == ["I moved to Braga"]
    assert new.position > second.position
    assert Message.objects.filter(replaced_at=at(2)).count() == 4
    assert Conversation.objects.get().title == "I moved to Braga"


def test_what_was_not_assessed_yet_is_not_assessed_any_more(space: Space) -> None:
    first = turn(space, "I moved to Porto")
    second = turn(space, "I like tea", 1, after=first)
    assert second.assessment_id is not None
    taken = claim(space_id=space.pk, assessment_id=second.assessment_id, now=at(1))
    new = edited(first, "I moved to Braga", 2)
    assert taken is not None
    assert finish(assessment=taken, result=assessment_result(), now=at(2)) is None
    states = dict(Assessment.objects.values_list("pk", "state"))
    assert states == {
        first.assessment_id: State.IGNORED,
        second.assessment_id: State.IGNORED,
        new.assessment_id: State.QUEUED,
    }


def test_what_waits_in_a_deleted_conversation_is_assessed_only_if_it_comes_back(
    space: Space,
) -> None:
    first = turn(space, "I moved to Porto")
    second = turn(space, "I like tea", 1, after=first)
    third = turn(space, "I like jazz", 2, after=first)
    writing, late = (
        begin_turn(
            space=space, text=text, now=at(3), conversation=first.conversation_id, beside=True
        )
        for text in ("I sing", "I dance")
    )
    memory = assessed(first, 3)
    assert second.assessment_id is not None
    taken = claim(space_id=space.pk, assessment_id=second.assessment_id, now=at(3))

    delete_conversation(space=space, conversation_id=first.conversation_id, now=at(4))

    assert taken is not None
    assert finish(assessment=taken, result=assessment_result(), now=at(4)) is None
    exchanges = [assessment_of(reply) for reply in (first, second, third, writing, late)]
    assert [one.state for one in exchanges] == [State.DONE, *[State.IGNORED] * 4]
    assert {one.reasoning for one in exchanges[1:]} == {Reason("conversation_deleted")}
    assert stored(memory).status == "live"

    ended(late, "So you dance", at(5))
    for _ in "ab":  # twice is once
        restore_conversation(space=space, conversation_id=first.conversation_id, now=at(6))
    exchanges = [assessment_of(reply) for reply in (first, second, third, writing, late)]
    assert [one.state for one in exchanges] == [State.DONE, *[State.QUEUED] * 4]
    assert exchanges[3].due_at == at(6) + REPLY_OVERDUE
    assert (exchanges[4].due_at, exchanges[4].assistant_response) == (at(6), "So you dance")
    ended(writing, "So you sing", at(7))
    assert assessment_of(writing).due_at == at(7)


def test_what_only_the_replaced_words_taught_is_let_go_and_says_why(space: Space) -> None:
    first = turn(space, "I moved to Porto")
    memory = assessed(first, 1)
    edited(first, "I moved to Braga", 2)
    gone = stored(memory)
    assert (gone.status, gone.bin_reason, gone.binned_at) == ("binned", "superseded", at(2))
    assert actions(memory) == ["created", "deleted"]


@pytest.mark.parametrize("is_assessed", [False, True])
def test_what_a_tool_wrote_goes_and_comes_with_its_turn(space: Space, is_assessed: bool) -> None:
    lisbon = remember(space, "User lives in Lisbon", memory_type="fact")
    first = turn(space, "I moved from Lisbon to Porto")
    caller = Caller(space, ALICE, at(1), conversation_id=str(first.conversation_id))
    answer = TOOLS["remember"].call(caller, {"content": "User moved from Lisbon to Porto"})
    call = {"name": "remember", "ok": True, "memory": answer.data}
    Message.objects.filter(pk=first.pk).update(tool_calls=[call, {"name": "remember", "ok": False}])
    written = Memory.objects.get(pk=answer.data["id"])
    assert stored(lisbon).bin_reason == "superseded"
    if is_assessed:
        assert assessed(first, 2, "User moved from Lisbon to Porto") == written
    edited(first, "I visited Porto", 4)
    assert (stored(written).status, stored(lisbon).status) == ("binned", "live")
    undo_edit(space=space, message_id=asked(first).pk, actor=ALICE, now=at(5))
    assert (stored(written).status, stored(lisbon).status) == ("live", "binned")
    change = MemoryChange(content="User moved to Porto for good")
    revise_memory(space=space, memory_id=written.pk, change=change, actor=ALICE, now=at(6))
    edited(first, "I visited Braga", 7)
    assert stored(written).status == "live"


def test_what_the_replaced_words_had_superseded_comes_back(space: Space) -> None:
    lisbon = remember(space, "User lives in Lisbon", memory_type="fact")
    first = turn(space, "I moved from Lisbon to Porto")
    assessed(first, 1, "User moved from Lisbon to Porto, no longer lives in Lisbon")
    assert stored(lisbon).bin_reason == "superseded"
    new = edited(first, "I visited Porto", 2)
    assert stored(lisbon).status == "live"
    undo_edit(space=space, message_id=asked(first).pk, actor=ALICE, now=at(3))
    assert stored(lisbon).bin_reason == "superseded"
    [porto] = Memory.objects.in_space(space).live()
    assert "Porto" in porto.content
    assert shown(new)[0] == "I moved from Lisbon to Porto"


@pytest.mark.parametrize("how", ["known", "said again", "changed", "pinned"])
def test_what_others_also_hold_stays(space: Space, how: str) -> None:
    if how == "known":
        remember(space, "User moved to Porto", memory_type="fact")
    first = turn(space, "I moved to Porto")
    memory = assessed(first, 1)
    if how == "said again":
        assessed(turn(space, "I moved to Porto", 2), 2)
    if how == "changed":
        change = MemoryChange(content="User moved to Porto in May")
        revise_memory(space=space, memory_id=memory.pk, change=change, actor=ALICE, now=at(2))
    if how == "pinned":
        change = MemoryChange(pinned=True)
        revise_memory(space=space, memory_id=memory.pk, change=change, actor=ALICE, now=at(2))
    edited(first, "I moved to Braga", 3)
    assert stored(memory).status == "live"


# --- Taking an edit back --------------------------------------------------------------------


def test_an_edit_taken_back_brings_everything_back(space: Space) -> None:
    first = turn(space, "I moved to Porto")
    second = turn(space, "I like tea", 1, after=first)
    memory = assessed(first, 1)
    new = edited(first, "I moved to Braga", 2)
    braga = assessed(new, 3, "User moved to Braga")
    undo_edit(space=space, message_id=asked(first).pk, actor=ALICE, now=at(4))
    assert shown(first) == [
        *("I moved to Porto", "So I moved to Porto", "I like tea", "So I like tea"),
    ]
    assert Conversation.objects.get().title == "I moved to Porto"
    assert (stored(memory).status, stored(braga).status) == ("live", "binned")
    assert assessment_of(second).state == State.QUEUED
    with pytest.raises(Conflict):
        undo_edit(space=space, message_id=asked(new).pk, actor=ALICE, now=at(5))


def test_an_edit_can_be_taken_back_while_its_reply_is_written(space: Space) -> None:
    first = turn(space, "I moved to Porto")
    said = asked(first)
    new = edit_message(space=space, message_id=said.pk, text="Hi", actor=ALICE, now=at(1))
    assert claim_reply(space=space, message_id=new.pk)
    undo_edit(space=space, message_id=said.pk, actor=ALICE, now=at(2))
    finish_reply(message=new, reply=Reply("stopped", "Hel", "stub", [], []), now=at(3))
    assert shown(first) == ["I moved to Porto", "So I moved to Porto"]
    assert assessment_of(new).state == State.IGNORED
    assert turn(space, "I like tea", 4, after=first).state == "done"


def test_only_the_latest_edit_is_taken_back(space: Space) -> None:
    first = turn(space, "one")
    with pytest.raises(Conflict):
        undo_edit(space=space, message_id=asked(first).pk, actor=ALICE, now=at(1))
    second = turn(space, "two", 1, after=first)
    edited(second, "three", 2)
    new = edited(first, "four", 3)
    with pytest.raises(Conflict):
        undo_edit(space=space, message_id=asked(second).pk, actor=ALICE, now=at(4))
    with pytest.raises(Conflict):
        edit_message(space=space, message_id=asked(first).pk, text="x", actor=ALICE, now=at(4))
    undo_edit(space=space, message_id=asked(first).pk, actor=ALICE, now=at(4))
    assert shown(new) == ["one", "So one", "three", "So three"]


def test_strangers_and_deleted_conversations_have_nothing_to_edit(
    space: Space, other_space: Space
) -> None:
    first = turn(space, "I moved to Porto")
    said = asked(first)
    for where, message_id in ((other_space, said.pk), (space, uuid4()), (space, first.pk)):
        with pytest.raises(NotFound):
            edit_message(space=where, message_id=message_id, text="x", actor=ALICE, now=at(1))
        with pytest.raises(NotFound):
            undo_edit(space=where, message_id=message_id, actor=ALICE, now=at(1))
    with pytest.raises(NotFound):
        answer_again(space=other_space, conversation_id=first.conversation_id, now=at(1))
    delete_conversation(space=space, conversation_id=first.conversation_id, now=at(1))
    with pytest.raises(NotFound):
        edit_message(space=space, message_id=said.pk, text="x", actor=ALICE, now=at(1))
