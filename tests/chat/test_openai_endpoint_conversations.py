"""The conversation of a request through the OpenAI-compatible API, and the access to it."""

from typing import Any
from uuid import UUID

import openai
import pytest
from django.utils import timezone

from accounts.models import Space
from chat.models import Conversation, Message
from memory.embeddings import BUILT_IN
from tests.chat.openai_client import STORY, MakeClient, ask, client, ebb, make_client, said, turns
from tests.conftest import MakeKey
from tests.processes import Web, wait_until
from tests.stub_model import StubModel

__all__ = ["client", "make_client"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


# --- Which conversation ---------------------------------------------------------------------


def test_a_client_that_sends_its_history_stays_in_its_conversation(client: openai.OpenAI) -> None:
    first = ask(client, said(STORY, system="One"))
    text = first.choices[0].message.content
    second = ask(client, said(STORY, f" {text}\n", "And in winter?", system="Two"))
    third = ask(client, said("And in winter?", second.choices[0].message.content, "And in spring?"))
    again = ask(client, said(STORY))
    stranger = ask(client, said(STORY, "Something we never said", "And in winter?"))
    ids = [ebb(answer)["conversation_id"] for answer in (first, second, third, again, stranger)]
    assert ids[0] == ids[1] == ids[2]
    assert len(set(ids)) == 3
    assert Message.objects.filter(conversation=UUID(ids[0])).count() == 6


def test_a_name_or_a_user_has_a_conversation(
    client: openai.OpenAI,
    space: Space,
    model_web: Web,
    key: MakeKey,
    other_space: Space,
    make_client: MakeClient,
) -> None:
    def place(asking: openai.OpenAI, **options: Any) -> str:
        conversation_id: str = ebb(ask(asking, said("hello"), **options))["conversation_id"]
        return conversation_id

    named = place(client, extra_headers={"X-Ebb-Conversation": "thread 7"}, user="ana")
    assert named == place(client, extra_body={"ebb": {"conversation": "thread 7"}}, user="ana")
    assert named == place(client, extra_headers={"X-Ebb-Conversation": named}, user="ana")
    # A user's conversation does not exist for requests without this user.
    assert named != place(client, extra_headers={"X-Ebb-Conversation": named})
    ana, bob = place(client, user="ana"), place(client, user="bob")
    assert ana == place(client, user="ana")
    assert len({named, ana, bob}) == 3
    # Another's conversation does not exist for them: what they named is a name of their own.
    stranger = make_client(model_web, key(other_space))
    assert place(stranger, extra_headers={"X-Ebb-Conversation": named}) not in {named, ana, bob}
    assert Conversation.objects.in_space(other_space).count() == 1
    Conversation.objects.filter(pk=ana).update(deleted_at=timezone.now())
    assert place(client, user="ana") not in {named, ana, bob}


def test_two_requests_at_once_in_a_conversation_are_both_answered(
    client: openai.OpenAI, stub_model: StubModel
) -> None:
    stub_model.script("stall:2")
    with ask(client, said(STORY), user="ana", stream=True) as stream:
        next(iter(stream))
        meanwhile = ask(client, said("hello"), user="ana")
        assert meanwhile.choices[0].message.content == "You said: hello"
    wait_until(
        lambda: turns() == [
            ("user", "done", STORY),
            ("assistant", "stopped", "You said:"),
            ("user", "done", "hello"),
            ("assistant", "done", "You said: hello"),
        ],
        what="both turns",
    )  # fmt: skip
    assert Conversation.objects.count() == 1


# --- Who may ask, and whom -------------------------------------------------------------------


def test_who_may_ask(
    client: openai.OpenAI, model_web: Web, key: MakeKey, make_client: MakeClient
) -> None:
    with pytest.raises(openai.AuthenticationError) as unknown:
        ask(make_client(model_web, "ebb_wrong"), said("hello"))
    assert unknown.value.code == "invalid_api_key"
    reader = make_client(model_web, key(scopes=["read"]))
    with pytest.raises(openai.PermissionDeniedError, match="write"):
        ask(reader, said("hello"))
    assert [model.id for model in reader.models.list()] == ["ebb", "stub", *BUILT_IN]
    with pytest.raises(openai.NotFoundError):
        client.get("/no/such/path", cast_to=object)
    with pytest.raises(openai.APIStatusError) as refused:
        client.get("/chat/completions", cast_to=object)
    assert (refused.value.status_code, refused.value.code) == (405, "method_not_allowed")


def test_models_are_the_endpoints(client: openai.OpenAI, stub_model: StubModel) -> None:
    listed = [(model.id, model.owned_by) for model in client.models.list()]
    assert listed == [("ebb", "ebb"), ("stub", "tests"), *((name, "ebb") for name in BUILT_IN)]
    assert client.models.retrieve("stub").owned_by == "tests"
    assert client.models.retrieve("ebb").id == "stub"
    with pytest.raises(openai.NotFoundError) as unknown:
        client.models.retrieve("no/such")
    assert unknown.value.code == "model_not_found"
    stub_model.script_models("404", "500")
    assert [model.id for model in client.models.list()] == ["ebb", "stub", *BUILT_IN]
    with pytest.raises(openai.InternalServerError):
        client.models.list()
