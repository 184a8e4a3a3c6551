"""A member chats as themselves or as shared, and says nothing in another user's conversation."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.members.services import add_member
from accounts.models import Role, Space, User
from chat.models import Conversation
from chat.replies.writing import recall_for
from foundation.actors import SYSTEM
from memory.models import Memory
from tests.memory.writing import remember


@pytest.fixture
def editor(space: Space) -> User:
    user = User.objects.create_user("eve", "eve@example.org", "a long password of eve")
    add_member(space=space, user=user, role=Role.EDITOR, actor=SYSTEM, now=timezone.now())
    return user


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def said(client: Client, space: Space, **fields: str) -> Conversation | None:
    """Return the conversation that a message began; None if the message was refused."""
    before = Conversation.objects.count()
    client.post(reverse("say", args=[space.slug]), {"message": "I like tea", **fields})
    if Conversation.objects.count() == before:
        return None
    return Conversation.objects.order_by("-created_at").first()


def test_a_conversation_of_ones_own_recalls_what_is_ones_own(space: Space, alice: User) -> None:
    for user_id in ("alice", "bob", None):
        remember(space, f"User drinks tea with {user_id}", user_id=user_id)
    client = logged_in(alice)

    own, shared = said(client, space, chat_as="me"), said(client, space)

    assert own is not None
    assert shared is not None
    assert (own.user_id, shared.user_id) == ("alice", None)
    for conversation, users in ((own, {"alice", None}), (shared, {None})):
        found = recall_for(conversation, "What does the user drink?", said_by="alice")
        assert found is not None
        assert {result.memory.user_id for result in found.results} == users


def test_a_text_that_is_shared_and_ones_own_is_recalled_once(space: Space, alice: User) -> None:
    wish = "Keep answers short."
    for user_id in (None, "alice"):
        remember(space, "User drinks green tea", user_id=user_id)
        remember(space, wish, memory_type="preference", importance=0.9, user_id=user_id)
    client = logged_in(alice)
    own = said(client, space, chat_as="me")
    assert own is not None

    asked = recall_for(own, "What does the user drink?", said_by="alice")
    to_forget = recall_for(own, "Forget that I drink green tea", said_by="alice")
    everything = recall_for(own, "What do you know about me?", said_by="alice")

    assert asked is not None
    assert to_forget is not None
    assert [one.memory.content for one in asked.results].count("User drinks green tea") == 1
    assert [one.content for one in asked.standing] == [wish]
    # One of them would be left if only one were offered.
    assert [one.memory.content for one in to_forget.results].count("User drinks green tea") == 2
    assert everything is not None
    known = [one.memory.content for one in everything.results]
    assert sorted(known) == [wish, "User drinks green tea"]
    assert Memory.objects.in_space(space).live().count() == 4


def test_the_switch_starts_as_shared_while_one_is_alone(
    space: Space, alice: User, request: pytest.FixtureRequest
) -> None:
    client, address = logged_in(alice), reverse("playground", args=[space.slug])
    mine = '<option value="me" selected>'

    assert mine not in client.get(address).content.decode()
    request.getfixturevalue("editor")
    assert mine in client.get(address).content.decode()


def test_nobody_speaks_in_the_conversation_of_another_user(
    space: Space, alice: User, editor: User
) -> None:
    own = said(logged_in(alice), space, chat_as="me")
    assert own is not None
    before = own.messages.count()
    client = logged_in(editor)

    client.post(
        reverse("say", args=[space.slug]), {"message": "Me too", "conversation": str(own.pk)}
    )

    assert own.messages.count() == before
    page = client.get(reverse("conversation", args=[space.slug, own.pk]))
    assert page.status_code == 200


def test_a_viewer_sees_what_is_shared_and_their_own(space: Space, alice: User, bob: User) -> None:
    for user_id in ("alice", "bob", None):
        remember(space, f"Fact of {user_id}", user_id=user_id)

    for name in ("memories", "bin_history", "overview"):
        page = logged_in(bob).get(reverse(name, args=[space.slug])).content.decode()
        assert "Fact of alice" not in page
        assert name == "overview" or ("Fact of bob" in page and "Fact of None" in page)
    page = logged_in(alice).get(reverse("memories", args=[space.slug])).content.decode()
    assert all(f"Fact of {user_id}" in page for user_id in ("alice", "bob", None))


def test_pages_are_filtered_by_user(space: Space, alice: User) -> None:
    for user_id in ("alice", "bob", None):
        remember(space, f"Fact of {user_id}", user_id=user_id)

    for name in ("memories", "bin_history"):
        address = reverse(name, args=[space.slug])
        page = logged_in(alice).get(address, {"user": "bob"}).content.decode()
        assert "Fact of bob" in page
        assert "Fact of alice" not in page
        assert "Fact of None" not in page


def test_the_key_page_makes_a_key_for_one_user(space: Space, alice: User) -> None:
    client, address = logged_in(alice), reverse("keys_create", args=[space.slug])

    made = client.post(address, {"name": "app", "scopes": ["read"], "user_id": "bob"})
    refused = client.post(address, {"name": "app", "scopes": ["admin"], "user_id": "bob"})

    assert "only for user" in made.content.decode()
    assert "cannot have the permission admin" in refused.content.decode()
    assert [key.user_id for key in space.api_keys.all()] == ["bob"]
