"""Viewers read the chat, and report what is wrong; nobody writes where they may not."""

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.members.services import add_member
from accounts.models import Role, Space, User
from chat.models import Conversation, Message
from chat.replies.turns import NewConversation, begin_turn
from foundation.actors import SYSTEM
from memory.models import Memory, MemoryEvent
from memory.review.services import approve_memory, reject_memory
from tests.chat.explained import lisbon, reply
from tests.memory.writing import ALICE, NOW, actions, remember, stored
from tests.pages import login, shown

__all__ = ["lisbon", "reply"]

BUTTONS = ('name="message"', "data-edit", "/again/", "/delete/", "/title/", "/private/")


def conversation(space: Space, **fields: str) -> Conversation:
    """A conversation with a reply, that a user of the space has had."""
    begun = NewConversation(**fields)  # type: ignore[arg-type]  # names of users only
    message = begin_turn(space=space, text="I moved", now=timezone.now(), conversation=begun)
    Message.objects.filter(pk=message.pk).update(state="done", content="Noted.")
    return message.conversation


def opened(user: User, found: Conversation) -> str:
    address = reverse("conversation", args=[found.space.slug, found.pk])
    return login(user).get(address).content.decode()


def test_a_viewer_gets_no_buttons_that_would_be_refused(
    space: Space, alice: User, bob: User
) -> None:
    shared = conversation(space)
    page = opened(bob, shared)
    assert "I moved" in page
    assert "You are a viewer of this space" in page
    assert [sign for sign in BUTTONS if sign in page] == []
    own = opened(alice, shared)
    assert [sign for sign in BUTTONS if sign not in own] == []
    assert "You can read this space" in shown(login(bob), space, "playground")


def test_the_conversation_of_another_member_is_read_only(space: Space, alice: User) -> None:
    page = opened(alice, conversation(space, user_id="carol"))
    assert "This conversation belongs to <bdi>carol</bdi>." in page
    assert 'name="message"' not in page


def test_the_members_page_names_who_reads_everything(space: Space, bob: User) -> None:
    eve = User.objects.create_user("eve")
    add_member(space=space, user=eve, role=Role.EDITOR, actor=SYSTEM, now=timezone.now())
    page = " ".join(shown(login(bob), space, "members").split())
    said = "including those of other members. In this space:"
    names = page.partition(said)[2].partition("</li>")[0]
    assert names.count("<bdi") == 2
    assert ("alice" in names, "eve" in names, "bob" in names) == (True, True, False)


def test_a_viewer_reports_a_memory_and_an_editor_decides(
    space: Space, bob: User, alice: User, reply: Message, lisbon: Memory
) -> None:
    inspector = login(bob).get(reverse("why", args=[space.slug, reply.pk])).text
    address = reverse("memory", args=[space.slug, lisbon.pk])
    assert f'<a href="{address}">Report as wrong</a>' in inspector
    assert "/report/" in login(bob).get(address).text
    assert "/report/" not in login(alice).get(address).text
    report = reverse("memory_report", args=[space.slug, lisbon.pk])
    login(bob).post(report, {"what": "It was “Porto”"})
    reported = stored(lisbon)
    assert reported.status == "review"
    assert reported.review_reason == "Reported as wrong: bob: “It was “Porto””"
    [event] = MemoryEvent.objects.filter(memory_id=lisbon.pk, action="held")
    assert (event.actor_type, event.actor_name) == ("user", "bob")
    assert "Reported as wrong by bob" in shown(login(alice), space, "review")

    again = login(bob).post(report, follow=True)
    assert "Someone changed this memory." in again.text
    assert actions(lisbon).count("held") == 1
    approve_memory(space=space, memory_id=lisbon.pk, actor=ALICE, now=timezone.now())
    assert stored(lisbon).status == "live"

    login(bob).post(report)
    reject_memory(space=space, memory_id=lisbon.pk, actor=ALICE, now=timezone.now())
    assert stored(lisbon).bin_reason == "rejected"
    assert "Someone changed this memory." in login(bob).post(report, follow=True).text


@pytest.mark.parametrize("owner", ["carol", None])
def test_nobody_reports_what_they_do_not_see(
    space: Space, bob: User, charlie: User, owner: str | None
) -> None:
    memory = remember(space, "User likes tea", now=NOW, user_id=owner)
    user = bob if owner else charlie
    address = reverse("memory_report", args=[space.slug, memory.pk])
    assert login(user).post(address).status_code == 404
    assert stored(memory).status == "live"
