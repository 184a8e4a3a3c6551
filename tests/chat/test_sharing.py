"""A conversation of one's own, shared with the members of the space to read, until that ends."""

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.keys.services import create_key
from accounts.members.services import add_member
from accounts.models import AuditEntry, Role, Space, User
from chat.conversations.services import delete_conversation
from chat.models import Conversation, Message
from chat.replies.turns import NewConversation, begin_turn
from foundation.actors import SYSTEM
from foundation.readers import EVERYONE
from memory.transfer.export import export_lines
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import remember
from tests.pages import login, shown


@pytest.fixture
def own(space: Space, alice: User, bob: User) -> Conversation:
    """alice's own conversation; bob is a viewer of the space."""
    remember(space, "User hides a key below the mat", user_id="alice")
    begun = NewConversation(alice, user_id="alice")
    reply = begin_turn(space=space, text="My **trip**", now=timezone.now(), conversation=begun)
    Message.objects.filter(pk=reply.pk).update(state="done", content="By *train*.", model="stub")
    return reply.conversation


def switch(user: User, conversation: Conversation, *, on: bool) -> int:
    address = reverse("conversation_share", args=["home", conversation.pk])
    return login(user).post(address, {"shared": "1"} if on else {}).status_code


def page_of(conversation: Conversation) -> str:
    return reverse("conversation_shared", args=["home", conversation.pk])


def test_members_read_it_until_sharing_stops(
    space: Space, alice: User, bob: User, own: Conversation
) -> None:
    whole = reverse("conversation", args=["home", own.pk])
    assert [login(bob).get(url).status_code for url in (page_of(own), whole)] == [404, 404]
    assert "My trip" not in shown(login(bob), space, "playground")

    assert switch(alice, own, on=True) == 200
    page = login(bob).get(page_of(own)).text
    assert "<bdi>alice</bdi> shared this conversation" in page
    assert "My **trip**" in page
    assert "By <em>train</em>." in page
    listed = shown(login(bob), space, "playground")
    assert page_of(own) in listed
    assert f'"{whole}"' not in listed
    assert login(bob).get(whole).status_code == 404  # with its memories it stays alice's

    assert switch(alice, own, on=False) == 200
    assert login(bob).get(page_of(own)).status_code == 404
    assert page_of(own) not in shown(login(bob), space, "playground")


def test_only_its_owner_shares_it_and_the_log_says_so(
    space: Space, alice: User, bob: User, charlie: User, own: Conversation
) -> None:
    editor = User.objects.create_user("eve")
    add_member(space=space, user=editor, role=Role.EDITOR, actor=SYSTEM, now=timezone.now())
    before = AuditEntry.objects.in_space(space).count()
    assert [switch(user, own, on=True) for user in (bob, charlie, editor)] == [403, 404, 404]
    everybodys = begin_turn(space=space, text="hello", now=timezone.now()).conversation
    assert switch(alice, everybodys, on=True) == 404
    assert AuditEntry.objects.in_space(space).count() == before

    for on in (True, True, False):
        switch(alice, own, on=on)
    told = AuditEntry.objects.in_space(space).order_by("pk")[before:]
    assert [(one.action, one.subject, one.actor_name) for one in told] == [
        ("conversation.shared", "alice", "alice"), ("conversation.private", "alice", "alice"),
    ]  # fmt: skip
    assert "trip" not in str([one.detail for one in told])
    assert "sharing stopped" in shown(login(alice), space, "keys")


def test_nobody_outside_reads_it(
    space: Space, alice: User, bob: User, charlie: User, own: Conversation, key: MakeKey
) -> None:
    switch(alice, own, on=True)
    _key, of_bob = create_key(
        space=space, scopes=["read"], user_id="bob", actor=SYSTEM, now=timezone.now()
    )

    assert login(charlie).get(page_of(own)).status_code == 404
    for secret in (key(scopes=["read"]), of_bob):  # users of an app are no members
        assert ApiClient(secret).get(f"conversations/{own.pk}").status_code == 404
        assert ApiClient(secret).get("conversations").json()["items"] == []
    lines = "".join(export_lines(space, EVERYONE, now=timezone.now()))
    assert str(own.pk) in lines
    assert "shared_at" not in lines
    delete_conversation(space=space, conversation_id=own.pk, now=timezone.now())
    assert login(bob).get(page_of(own)).status_code == 404


def test_the_menu_has_the_switch_of_ones_own(alice: User, own: Conversation) -> None:
    address = reverse("conversation", args=["home", own.pk])
    assert "Share with this space" in login(alice).get(address).text
    switch(alice, own, on=True)
    page = login(alice).get(address).text
    assert "Stop sharing" in page
    assert "members can read it" in page
    eve = User.objects.create_user("eve")
    add_member(space=own.space, user=eve, role=Role.OWNER, actor=SYSTEM, now=timezone.now())
    assert "Stop sharing" not in login(eve).get(address).text
