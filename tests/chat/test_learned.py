"""The memories learned from a reply's exchange, below the reply: correct, discard, restore,
retry."""

from datetime import timedelta

import pytest
from django.urls import reverse

from accounts.models import Space, User
from assessor.models import State
from chat.models import Message
from memory.models import Memory
from memory.retention.recycle_bin import delete_memory, purge_memory
from tests.assessor.outbox import taught as lesson
from tests.chat.explained import NOW, call, exchange_of, lisbon, reply, text
from tests.memory.writing import ALICE, actions, learn, stored
from tests.pages import login

__all__ = ["lisbon", "reply"]


@pytest.fixture
def taught(reply: Message, lisbon: Memory) -> Memory:
    """The memory that the reply's exchange made."""
    exchange_of(reply).update(
        state=State.DONE, importance=0.5, memory_type="fact", summary=lisbon.content
    )
    lesson(exchange_of(reply).get(), lisbon)
    Memory.objects.filter(pk=lisbon.pk).update(source_assessment=reply.assessment_id)
    return lisbon


def test_what_was_learned_is_corrected_in_its_place(
    alice: User, reply: Message, taught: Memory
) -> None:
    where = reverse("exchange_edit", args=["home", reply.pk, taught.pk])
    client = login(alice)
    assert "Text" in text(client.get(where))
    form = {"content": "User lives in Porto", "memory_type": "fact", "importance": ""}
    assert "Enter a number from 0 to 1." in text(client.post(where, form))

    seen = text(client.post(where, form | {"importance": "0.9"}))

    assert "User lives in Porto" in seen
    corrected = stored(taught)
    assert (corrected.content, corrected.importance, corrected.revision) == (
        "User lives in Porto", 0.9, 2,
    )  # fmt: skip


def test_what_is_typed_stays_when_the_memory_has_gone_meanwhile(
    alice: User, space: Space, reply: Message, taught: Memory
) -> None:
    client = login(alice)
    form = {"content": "User lives in Porto", "memory_type": "fact", "importance": "0.9"}
    places = [
        reverse("exchange_edit", args=["home", reply.pk, taught.pk]),
        reverse("why_edit", args=["home", reply.pk, taught.pk]),
    ]
    delete_memory(space=space, memory_id=taught.pk, actor=ALICE, now=NOW)
    for where in places:
        seen = client.post(where, form).content.decode()
        assert "This memory is in the bin. Restore it first." in seen
        assert "User lives in Porto</textarea>" in seen
        assert "Undo" in text(client.get(where))
    purge_memory(space=space, memory_id=taught.pk, actor=ALICE, now=NOW)
    for where in places:
        answer = client.post(where, form)
        assert "purged" in text(answer)
        assert answer["HX-Reswap"] == "none"  # the form stands


def test_what_was_learned_is_discarded_and_taken_back(
    alice: User, reply: Message, taught: Memory
) -> None:
    assert "in the bin: deleted" in text(call(alice, reply, "exchange_discard", taught))
    assert stored(taught).status == "binned"
    assert actions(taught)[-1] == "deleted"
    assert "saved" in text(call(alice, reply, "exchange_restore", taught))
    assert stored(taught).status == "live"


def test_each_memory_of_the_exchange_is_edited_and_discarded_alone(
    alice: User, reply: Message, taught: Memory, bees: Memory
) -> None:
    page = text(login(alice).get(reverse("exchange", args=["home", reply.pk])))
    assert taught.content in page
    assert bees.content in page

    call(alice, reply, "exchange_discard", bees)
    form = {"content": "User lives in Porto", "memory_type": "fact", "importance": "0.9"}
    call(alice, reply, "exchange_edit", taught, **form)

    assert [stored(one).status for one in (taught, bees)] == ["live", "binned"]
    assert stored(taught).content == "User lives in Porto"


@pytest.fixture
def bees(space: Space, reply: Message, taught: Memory) -> Memory:
    """The second memory of the reply's exchange."""
    bees = learn(space, "User keeps bees", now=NOW)
    lesson(exchange_of(reply).get(), bees, 1)
    Memory.objects.filter(pk=bees.pk).update(source_assessment=reply.assessment_id, source_place=1)
    return bees


def live_of(reply: Message) -> list[Memory]:
    return [one for one in exchange_of(reply).get().memories if one.status == "live"]


def test_what_was_learned_is_pinned_and_unpinned(
    alice: User, reply: Message, taught: Memory
) -> None:
    for pressed in ("yes", "no"):
        answer = call(alice, reply, "exchange_pin", taught, pinned=pressed)
        assert ("kept forever" in text(answer)) == stored(taught).pinned == (pressed == "yes")


def test_two_memories_that_belong_together_are_joined(
    alice: User, reply: Message, taught: Memory, bees: Memory
) -> None:
    Memory.objects.filter(pk=bees.pk).update(importance=0.9, expires_at=None, pinned=True)

    call(alice, reply, "exchange_join", bees)

    [joined] = live_of(reply)
    assert joined.content == f"{taught.content}\n{bees.content}"
    assert (joined.importance, joined.expires_at, joined.pinned) == (0.9, None, True)
    assert [stored(one).bin_reason for one in (taught, bees)] == ["superseded"] * 2

    call(alice, reply, "exchange_restore", bees)  # which undoes it

    assert live_of(reply) == [taught, bees]
    first = call(alice, reply, "exchange_join", taught)  # nothing is above it
    assert first["HX-Reswap"] == "none"
    assert live_of(reply) == [taught, bees]


def test_a_memory_is_split_into_the_lines_that_a_person_writes(
    alice: User, reply: Message, taught: Memory
) -> None:
    refused = call(alice, reply, "exchange_split", taught, content="User lives in Lisbon")
    assert refused["HX-Reswap"] == "none"

    call(alice, reply, "exchange_split", taught, content="User lives\r\n\r\nin Lisbon ")

    assert [one.content for one in live_of(reply)] == ["User lives", "in Lisbon"]
    assert stored(taught).status == "binned"
    again = call(alice, reply, "exchange_split", taught, content="one\ntwo")
    assert "This memory is in the bin." in text(again)
    for line in live_of(reply):
        call(alice, reply, "exchange_discard", line)
    assert live_of(reply) == [taught]


def test_what_it_had_superseded_is_back_when_it_is_discarded(
    alice: User, space: Space, reply: Message, lisbon: Memory
) -> None:
    new = learn(space, "User moved from Lisbon to Porto", now=NOW + timedelta(days=1))
    exchange_of(reply).update(state=State.DONE, summary=new.content)
    lesson(exchange_of(reply).get(), new)
    Memory.objects.filter(pk=new.pk).update(source_assessment=reply.assessment_id)
    assert stored(lisbon).bin_reason == "superseded"

    call(alice, reply, "exchange_discard", new)
    assert [stored(one).status for one in (lisbon, new)] == ["live", "binned"]
    call(alice, reply, "exchange_restore", new)
    assert [stored(one).status for one in (lisbon, new)] == ["binned", "live"]


def test_what_was_known_before_is_not_discarded_with_the_exchange(
    alice: User, bob: User, reply: Message, taught: Memory
) -> None:
    Memory.objects.filter(pk=taught.pk).update(source_assessment=None)

    page = login(alice).get(reverse("exchange", args=["home", reply.pk]))

    assert "already known" in text(page)
    assert "Discard" not in page.content.decode()
    assert call(alice, reply, "exchange_discard", taught).status_code == 404
    assert call(bob, reply, "exchange_edit", taught).status_code == 403
    assert stored(taught).status == "live"


def test_a_failed_assessment_is_tried_again_where_it_is_shown(alice: User, reply: Message) -> None:
    exchange_of(reply).update(state=State.FAILED, error="It broke.")
    page = login(alice).get(reverse("exchange", args=["home", reply.pk]))
    assert "It broke. Your message is kept. Try again" in text(page)

    assert "waiting for assessment" in text(call(alice, reply, "exchange_retry"))

    assert exchange_of(reply).get().state == State.QUEUED
