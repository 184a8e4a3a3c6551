"""What a conversation goes by of its own: checked, kept, and heeded by the next reply."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from chat.choices import Choices
from chat.models import Conversation
from chat.services.conversations import choose
from chat.services.turns import begin_turn
from memory.actors import SYSTEM
from memory.drafts import MemoryDraft
from memory.errors import InvalidArguments, NotFound
from memory.models import Space
from memory.services.memories import create_memory
from tests.chat.talking import Talker
from tests.conftest import ApiClient, MakeKey
from tests.processes import Web
from tests.stub_model import StubModel

PIRATE = "You are a pirate."
CHOSEN: Choices = {
    "memory": "read_only",
    "profile": "date",
    "model": "small-one",
    "system_prompt": f"  {PIRATE}\n",
}
KEPT = CHOSEN | {"system_prompt": PIRATE}


def fields(conversation: Conversation) -> dict[str, str]:
    conversation.refresh_from_db()
    return {name: getattr(conversation, name) for name in CHOSEN}


@pytest.mark.parametrize(
    ("choices", "field"),
    [
        ({"profile": "vague"}, "profile"),
        ({"memory": "sometimes"}, "memory"),
        ({"memory": ""}, "memory"),
        ({"model": "m" * 121}, "model"),
        ({"model": "two\nlines"}, "model"),
        ({"model": "a\ud83d"}, "model"),
        ({"system_prompt": "p" * 8001}, "system_prompt"),
        ({"system_prompt": "a\x00b"}, "system_prompt"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    space: Space, choices: dict[str, Any], field: str
) -> None:
    conversation = Conversation.objects.create(space=space, title="Pizza")
    before = fields(conversation)
    with pytest.raises(InvalidArguments) as refused:
        choose(space=space, conversation_id=conversation.pk, **choices)
    assert [error.field for error in refused.value.errors] == [field]
    with pytest.raises(InvalidArguments):
        begin_turn(space=space, text="hello", now=timezone.now(), **choices)
    assert fields(conversation) == before
    assert Conversation.objects.count() == 1


def test_what_is_chosen_holds_until_something_else_is(space: Space, other_space: Space) -> None:
    message = begin_turn(space=space, text="hello", now=timezone.now(), **CHOSEN)
    conversation = message.conversation
    assert fields(conversation) == KEPT
    choose(space=space, conversation_id=conversation.pk, profile="", model=None)
    assert fields(conversation) == KEPT | {"profile": ""}
    choose(space=space, conversation_id=conversation.pk)
    assert fields(conversation) == KEPT | {"profile": ""}
    for where, which in ((other_space, conversation.pk), (space, uuid4())):
        for choices in ({}, {"profile": "vivid"}):
            with pytest.raises(NotFound):
                choose(space=where, conversation_id=which, **choices)
    assert fields(conversation) == KEPT | {"profile": ""}


def test_a_program_changes_a_conversation(space: Space, key: MakeKey) -> None:
    client = ApiClient(key())
    conversation = Conversation.objects.create(space=space, title="Pizza")
    changed = client.patch(f"conversations/{conversation.pk}", CHOSEN)
    assert changed.status_code == 200
    assert {name: changed.json()[name] for name in KEPT} == KEPT
    shown = client.get(f"conversations/{conversation.pk}").json()
    assert {name: shown[name] for name in KEPT} == KEPT
    refused = client.patch(f"conversations/{conversation.pk}", {"profile": "vague"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "profile")
    assert fields(conversation) == KEPT


@pytest.mark.stack
@pytest.mark.django_db(transaction=True)
def test_the_next_reply_goes_by_what_is_chosen(
    model_web: Web,
    stub_model: StubModel,
    key: MakeKey,
    talk: Callable[[str, str], Talker],
    space: Space,
) -> None:
    for text, day in (("User moved to Lisbon in March", 1), ("User bought a red kettle", 2)):
        create_memory(
            space=space,
            draft=MemoryDraft(content=text, created_at=f"2026-02-0{day}T12:00:00Z"),  # type: ignore[arg-type]  # parsed
            actor=SYSTEM,
            now=timezone.now(),
        )
    talker = talk(model_web.url, key())

    plain = talker.say("where do I live, in which town?").json()
    assert "Lisbon" in plain["recalled"][0]["memory"]["content"]
    assert stub_model.requests[-1].body["model"] == plain["model"] == "stub"
    answer = talker.say("where do I live, in which town?", **CHOSEN | {"memory": "on"}).json()
    for _turn in range(2):
        assert "kettle" in answer["recalled"][0]["memory"]["content"]
        assert answer["model"] == "small-one"
        asked = stub_model.requests[-1].body
        assert asked["model"] == "small-one"
        assert asked["messages"][0]["content"].startswith(f"{PIRATE}\n\nToday is ")
        # The second turn says nothing of it: it holds.
        answer = talker.say("And now?", conversation_id=answer["conversation_id"]).json()
    own = talker.say("where do I live?", conversation_id=answer["conversation_id"], profile="")
    assert "Lisbon" in own.json()["recalled"][0]["memory"]["content"]
    refused = talker.say("hello", profile="vague")
    assert (refused.status_code, refused.json()["code"]) == (422, "memory_invalid_arguments")
