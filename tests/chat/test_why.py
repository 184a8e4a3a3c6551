"""Explanations of a reply's memories: what is stored, shown, and can be changed."""

import asyncio
import re
from contextlib import aclosing
from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from assessor.models import Assessment
from chat.conversations.services import delete_conversation
from chat.models import Message
from chat.replies.services import Reply, finish_reply
from chat.replies.turns import answer_again, begin_turn
from chat.replies.writing import stream_reply
from memory.drafts import MemoryChange
from memory.models import Memory, MemoryRevision, RelevanceMark
from memory.retention.recycle_bin import delete_memory, purge_memory
from memory.store.services import revise_memory
from memory.tools import TOOLS, Caller
from tests.chat.explained import CONTENTS, NOW, QUESTION, call, lisbon, reply, text, use_count
from tests.memory.writing import ALICE, actions, learn, remember, set_policy, stored
from tests.pages import login

__all__ = ["lisbon", "reply"]


def answered(message: Message, *, explain: bool = True) -> Message:
    """The reply, written by the built-in responder."""

    async def whole() -> None:
        async with aclosing(stream_reply(message, explain=explain)) as events:
            async for _ in events:
                pass

    asyncio.run(whole())
    message.refresh_from_db()
    return message


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("queue")
def test_another_answer_is_not_given_what_the_same_words_have_taught(
    space: Space, lisbon: Memory
) -> None:
    first = answered(begin_turn(space=space, text="I have a flat in Porto", now=NOW, claimed=True))
    [assessed] = Assessment.objects.get().memories
    caller = Caller(space, ALICE, NOW, conversation_id=str(first.conversation_id))
    kept = TOOLS["remember"].call(caller, {"content": "User works in Porto"}).data
    tool_calls = [{"name": "remember", "ok": True, "memory": kept}]
    Message.objects.filter(pk=first.pk).update(tool_calls=tool_calls)
    before = [(hit["memory"]["id"], hit["rank"]) for hit in first.recalled + first.missed]
    assert [rank for _, rank in before] == list(range(1, len(before) + 1))

    again = answer_again(space=space, conversation_id=first.conversation_id, now=NOW, claimed=True)
    again = answered(again)
    given = again.recalled + again.missed
    assert [(hit["memory"]["id"], hit["rank"]) for hit in given] == before
    assert min(rank for hit in given for rank in hit["rank_without"].values()) == 1
    said_later = begin_turn(
        space=space,
        text="I have a flat in Porto",
        now=NOW,
        conversation=first.conversation_id,
        claimed=True,
    )
    found = {hit["memory"]["id"] for hit in answered(said_later).recalled}
    assert {str(assessed.pk), kept["id"]} <= found


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("queue")
def test_a_reply_for_a_page_keeps_ranks_and_what_nearly_was(space: Space, lisbon: Memory) -> None:
    set_policy(space, recall={"min_relevance": 0.0})
    for explain in (True, False):
        begun = begin_turn(space=space, text=QUESTION, now=NOW, claimed=True)
        answered(begun, explain=explain)
        ranks = [hit["rank"] for hit in begun.recalled]
        assert ranks == ([1, 2, 3] if explain else [None] * 3)
        assert [hit["rank"] for hit in begun.missed] == ([4, 5, 6, 7] if explain else [])
        assert begun.recalled[0]["rank_without"].keys() >= ({"semantic"} if explain else set())
        assert begun.recall_ms is not None
        assert begun.uses.keys() == {str(lisbon.pk)}  # the one that the built-in responder quotes


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("queue")
def test_thanks_recall_nothing_and_the_inspector_says_how_unlikely_each_memory_was(
    alice: User, space: Space, lisbon: Memory
) -> None:
    begun = begin_turn(space=space, text="thanks!", now=NOW, claimed=True)
    answered(begun, explain=True)

    assert begun.recalled == []
    assert begun.uses == {}
    assert [hit["rank"] for hit in begun.missed] == [1, 2, 3, 4, 5]
    seen = text(call(alice, begun))
    assert "Given to the model" not in seen
    assert "No memory was relevant enough." in seen
    assert "A memory must be at least 20% likely to help." in seen
    assert seen.count("% likely to help ·") == 5
    assert use_count(lisbon) == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("queue")
def test_the_inspector_says_until_when_it_was_true_and_how_much_that_counts(
    alice: User, space: Space
) -> None:
    old = learn(space, "User lives in Lisbon", now=NOW - timedelta(days=40))
    learn(space, "User lives in Porto", now=NOW - timedelta(days=10))
    begun = begin_turn(
        space=space, text="Where did I live before Porto?", now=timezone.now(), claimed=True
    )
    answered(begun)

    hit = begun.recalled[0]
    assert hit["memory"]["id"] == str(old.pk)
    seen = text(call(alice, begun)).split("User lives in Porto")[0]
    [true_then] = re.findall(r"true at that time \+(\d\.\d\d)", seen)
    assert float(true_then) == pytest.approx(hit["contributions"]["past"], abs=0.01)
    parts = re.findall(r" \+(\d\.\d\d)", seen)
    assert f"score {sum(map(float, parts)):.2f}" in seen  # as shown, they add up
    assert "true until" in seen
    assert "Deleted since" not in seen


def test_the_overview_says_how_long_recall_took(alice: User, space: Space) -> None:
    address = reverse("recall_times", args=[space.slug])
    assert "No recall yet." in text(login(alice).get(address))
    for number in range(21):
        begun = begin_turn(space=space, text=QUESTION, now=NOW, claimed=True)
        timed = Reply("done", "Lisbon.", "stub", [], [], recall_ms=number * 10.0)
        finish_reply(message=begun, reply=timed, now=NOW)
    begun = begin_turn(space=space, text=QUESTION, now=NOW, claimed=True)
    finish_reply(message=begun, reply=Reply("done", "Without memory.", "stub", [], []), now=NOW)
    seen = text(login(alice).get(address))
    assert seen.startswith("100 ms 95% within 190 ms")
    assert seen.endswith("for the latest 21 replies")


def test_the_inspector_says_why(alice: User, reply: Message, lisbon: Memory) -> None:
    answer = call(alice, reply)
    seen = text(answer)

    assert f"“{QUESTION}”" in seen or QUESTION in seen
    assert seen.index("Given to the model") < seen.index("Just missed")
    given, near = seen.split("Just missed")
    assert CONTENTS[0] in given
    assert given.count("% match") == 2
    assert near.count("% match") == 5
    assert near.count("below the threshold") == 5
    assert [f"rank {n} " in given for n in (1, 2, 3)] == [True, True, False]
    assert given.count("used in the answer") == 1
    assert given.index("used in the answer") < given.index("rank 2 ")
    assert "1 month ago" in given
    assert "used once" in given
    assert "used once" not in near
    assert answer.content.decode().count("<rect") >= 7 * 4
    assert re.search(r"meaning 0\.\d\d \+0\.\d\d \S*\s?\d", given)


def test_a_near_miss_by_a_hair_has_no_zero(alice: User, reply: Message) -> None:
    last = min(hit["score"] for hit in reply.recalled if hit.get("rank"))
    reply.missed[0]["score"] = last - 0.001
    reply.save(update_fields=["missed"])
    seen = text(call(alice, reply))
    assert seen.count("just below the threshold") == 1
    assert "0.00 below" not in seen


def test_ages_are_said_as_in_the_seed_in_chinese(alice: User, reply: Message) -> None:
    client = login(alice)
    client.cookies["django_language"] = "zh-hans"

    page = client.get(reverse("why", args=[reply.space.slug, reply.pk])).content.decode()

    assert ">1个月前</time>" in page


def test_a_viewer_reads_and_a_stranger_finds_nothing(
    bob: User, charlie: User, reply: Message, lisbon: Memory
) -> None:
    seen = call(bob, reply)
    assert CONTENTS[0] in text(seen)
    assert "Report as wrong" in text(seen)
    assert b"/pin/" not in seen.content
    assert call(bob, reply, "why_pin", lisbon).status_code == 403
    for name in ("why", "why_hit", "why_pin", "why_irrelevant"):
        memory = [] if name == "why" else [lisbon]
        assert call(charlie, reply, name, *memory).status_code == 404
    assert not stored(lisbon).pinned


def test_the_past_stays_and_the_present_is_said_beside_it(
    alice: User, space: Space, reply: Message, lisbon: Memory
) -> None:
    change = MemoryChange(content="User lives in Porto")
    revise_memory(space=space, memory_id=lisbon.pk, change=change, actor=ALICE, now=NOW)
    seen = text(call(alice, reply, "why_hit", lisbon))
    assert "User lives in Lisbon Now reads: User lives in Porto" in seen
    assert "used in the answer" in seen

    delete_memory(space=space, memory_id=lisbon.pk, actor=ALICE, now=NOW)
    assert "Deleted since · in the bin: deleted" in text(call(alice, reply))
    purge_memory(space=space, memory_id=lisbon.pk, actor=ALICE, now=NOW)
    seen = text(call(alice, reply))
    assert "Purged later" in seen
    assert "User lives in" not in seen  # a purge erases the text here, too
    assert call(alice, reply, "why_pin", lisbon).status_code == 404


def test_a_memory_is_pinned_edited_let_go_and_taken_back_in_its_place(
    alice: User, reply: Message, lisbon: Memory
) -> None:
    assert 'aria-pressed="true"' in call(alice, reply, "why_pin", lisbon).content.decode()
    assert stored(lisbon).pinned

    form = {"content": "User lives in\r\nPorto", "memory_type": "fact", "importance": "0.30"}
    assert "Now reads: User lives in Porto" in text(call(alice, reply, "why_edit", lisbon, **form))
    edited = stored(lisbon)
    assert (edited.content, edited.memory_type) == ("User lives in\nPorto", "fact")
    assert edited.importance == lisbon.importance
    assert MemoryRevision.objects.filter(memory=lisbon).count() == 1

    assert "Deleted since" in text(call(alice, reply, "why_forget", lisbon))
    assert stored(lisbon).status == "binned"
    assert call(alice, reply, "why_edit", lisbon, **form).status_code == 200
    assert MemoryRevision.objects.filter(memory=lisbon).count() == 1
    assert "Deleted since" not in text(call(alice, reply, "why_restore", lisbon))
    assert actions(lisbon) == [
        "created", "used", "renewed", "pinned", "revised", "deleted", "restored",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"content": " "}, "Enter 1 to 20,000 characters."),
        ({"importance": "1.5"}, "Enter a number from 0 to 1."),
        ({"importance": "much"}, "Enter a number from 0 to 1."),
        ({"memory_type": "secret"}, "Choose a type from the list."),
    ],
)
def test_what_cannot_be_said_is_refused_and_kept_in_the_form(
    alice: User, reply: Message, lisbon: Memory, wrong: dict[str, str], sentence: str
) -> None:
    form = {"content": "User lives in Porto", "memory_type": "fact", "importance": "0.5"} | wrong

    answer = call(alice, reply, "why_edit", lisbon, **form)

    assert sentence in text(answer)
    assert form["content"].strip() in text(answer)
    assert stored(lisbon).revision == 1


def test_not_relevant_takes_the_use_back_and_can_be_undone(
    alice: User, space: Space, reply: Message, lisbon: Memory
) -> None:
    assert use_count(lisbon) == 1
    for _ in range(2):  # pressed twice, counted once
        seen = text(call(alice, reply, "why_irrelevant", lisbon))
        assert "not relevant to this question; not counted as used" in seen
    assert use_count(lisbon) == 0
    assert stored(lisbon).counts == (0, 0, 0, 1)
    [mark] = RelevanceMark.objects.in_space(space)
    assert (mark.query, mark.memory, mark.relevant, mark.made_by) == (
        QUESTION, lisbon, False, alice,
    )  # fmt: skip
    assert actions(lisbon)[-1] == "unused"

    for _ in range(2):
        assert "not relevant" not in text(call(alice, reply, "why_relevant", lisbon)).lower()
    assert use_count(lisbon) == 1
    assert stored(lisbon).counts == (1, 0, 0, 0)
    assert not RelevanceMark.objects.exists()


def test_what_was_not_used_has_no_use_to_undo(alice: User, space: Space, reply: Message) -> None:
    near = Memory.objects.get(pk=reply.missed[0]["memory"]["id"])

    seen = text(call(alice, reply, "why_irrelevant", near))

    assert "not relevant to this question" in seen
    assert "counted" not in seen
    assert actions(near) == ["created"]
    assert "not relevant" in text(call(alice, reply))


def test_only_what_is_on_the_list_of_a_reply_that_is_there(
    alice: User, space: Space, reply: Message, lisbon: Memory
) -> None:
    other = remember(space, "User was never recalled")
    assert call(alice, reply, "why_forget", other).status_code == 404
    assert stored(other).status == "live"
    assert login(alice).get(reverse("why", args=["home", uuid4()])).status_code == 404
    delete_conversation(space=space, conversation_id=reply.conversation_id, now=NOW)
    assert call(alice, reply).status_code == 404
