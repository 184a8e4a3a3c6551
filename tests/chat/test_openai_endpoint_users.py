"""Users of the OpenAI-compatible API, who share a key and see nothing of each other."""

from collections.abc import Callable
from typing import Any

import openai
import pytest

from accounts.models import Space
from assessor.models import Assessment
from chat.models import Conversation
from tests.chat.openai_client import ask, client, ebb, make_client, said
from tests.memory.writing import remember

__all__ = ["client", "make_client"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(
    "options",
    [
        lambda user: {"user": user},
        lambda user: {"safety_identifier": user},
        lambda user: {"extra_headers": {"X-Ebb-User": user}, "user": "the same for all"},
        lambda user: {"extra_headers": {"X-OpenWebUI-User-Email": user}},
    ],
    ids=["user", "safety_identifier", "header", "Open WebUI"],
)
def test_a_user_is_not_answered_with_what_another_one_said(
    client: openai.OpenAI, space: Space, options: Callable[[str], dict[str, Any]]
) -> None:
    remember(space, "User earns 4200 euros", user_id="alice")
    remember(space, "The office is in Porto")
    question = said("How much do I earn?")

    of_alice = ebb(ask(client, question, **options("alice")))
    of_bob = ebb(ask(client, question, **options("bob")))
    of_nobody = ebb(ask(client, question))

    def recalled(answer: dict[str, Any]) -> set[str]:
        return {one["memory"]["content"] for one in answer["recalled"]}

    assert "User earns 4200 euros" in recalled(of_alice)
    for answer in (of_bob, of_nobody):
        assert "User earns 4200 euros" not in recalled(answer)
    conversations = Conversation.objects.order_by("created_at")
    assert [one.user_id for one in conversations] == ["alice", "bob", None]
    exchanges = Assessment.objects.order_by("created_at")
    assert [one.user_id for one in exchanges] == ["alice", "bob", None]


def test_a_history_continues_no_conversation_of_another_user(client: openai.OpenAI) -> None:
    first = ask(client, said("hello"), user="alice")
    reply = first.choices[0].message.content

    again = ask(client, said("hello", reply, "and now?"), extra_headers={"X-Ebb-User": "bob"})

    assert ebb(again)["conversation_id"] != ebb(first)["conversation_id"]
