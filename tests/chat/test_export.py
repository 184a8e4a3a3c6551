"""A conversation as a file."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from chat.conversations.services import delete_conversation
from chat.models import Conversation, Message
from chat.replies.turns import NewConversation, begin_turn
from tests.conftest import ApiClient, MakeKey
from tests.pages import login


@pytest.fixture
def trip(space: Space) -> Conversation:
    begun = NewConversation(user_id="carol")
    asked = "**My trip**: to \N{LATIN SMALL LETTER E WITH ACUTE}vora"
    reply = begin_turn(space=space, text=asked, now=timezone.now(), conversation=begun)
    Message.objects.filter(pk=reply.pk).update(
        state="done", content="1. Train\n2. Bus", model="stub"
    )
    return reply.conversation


def test_as_markdown(alice: User, trip: Conversation) -> None:
    answer = login(alice).get(reverse("conversation_markdown", args=["home", trip.pk]))

    assert answer["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer["Content-Disposition"].startswith("attachment; filename")
    assert "My_trip_to" in answer["Content-Disposition"]
    title, user, said, assistant, reply = answer.content.decode().strip().split("\n\n")
    assert (title, said, reply) == (
        "# My trip: to évora", "**My trip**: to évora", "1. Train\n2. Bus",
    )  # fmt: skip
    assert user.startswith("## User, 20")
    assert assistant.startswith("## Assistant (stub), 20")


def test_as_json_like_the_api(alice: User, trip: Conversation, key: MakeKey) -> None:
    answer = login(alice).get(reverse("conversation_json", args=["home", trip.pk]))

    assert "évora" in answer.content.decode()
    api = ApiClient(key()).get(f"conversations/{trip.pk}", user_id="carol")
    assert json.loads(answer.content) == api.json()


def test_only_what_one_may_read(
    space: Space, alice: User, bob: User, charlie: User, trip: Conversation
) -> None:
    for name in ("conversation_markdown", "conversation_json"):
        address = reverse(name, args=[space.slug, trip.pk])
        assert login(bob).get(address).status_code == 404  # carol's
        assert login(charlie).get(address).status_code == 404
    delete_conversation(space=space, conversation_id=trip.pk, now=timezone.now())
    assert login(alice).get(address).status_code == 404
