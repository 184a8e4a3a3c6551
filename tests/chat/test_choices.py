"""A conversation's own settings: checked, stored, and used for the next reply."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import caches
from django.test import AsyncClient, Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space, User
from assessor.llm import get_model
from chat.choices import Choices
from chat.conversations.services import choose
from chat.models import Conversation
from chat.replies.turns import begin_turn
from foundation.actors import SYSTEM
from foundation.errors import InvalidArguments, NotFound
from memory.drafts import MemoryDraft
from memory.formulas.ranking import PROFILES
from memory.policies.profiles import PROFILE_MEANINGS
from tests.chat.talking import Talker
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import create_memory
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


def test_each_profile_has_its_meaning_in_a_line() -> None:
    assert set(PROFILE_MEANINGS) == set(PROFILES)


@pytest.fixture
def page(client: Client, alice: User, stub_model: StubModel, settings: Settings) -> Client:
    """alice's browser, where the stub model is configured."""
    client.force_login(alice)
    caches["process"].clear()
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = stub_model.base_url, ""
    settings.EBB_CHAT_MODEL = "stub"
    return client


def test_the_sheet_keeps_what_is_chosen_and_shows_what_differs(space: Space, page: Client) -> None:
    conversation = Conversation.objects.create(space=space, title="Pizza")
    url = reverse("keep_choices", args=[space.slug])
    chips = page.post(url, {"conversation": str(conversation.pk), **CHOSEN}).content.decode()
    assert fields(conversation) == KEPT
    for word in ("small-one", "ranking: date", "own system prompt", PIRATE):
        assert word in chips
    chips = page.post(url, {"profile": "", "model": "", "system_prompt": " "}).content.decode()
    assert "stub" in chips
    assert "live" not in chips
    assert fields(conversation) == KEPT
    assert page.post(url, {"profile": "vague"}).status_code == 400
    assert page.post(url, {"conversation": "x", "profile": ""}).status_code == 400
    assert page.post(url, {"conversation": str(uuid4()), "profile": ""}).status_code == 404


def test_the_models_are_offered_where_the_endpoint_lists_them(
    space: Space, page: Client, stub_model: StubModel
) -> None:
    def field(model: str) -> str:
        """The field as the web server's one loop draws it, which keeps its connections."""

        async def ask() -> str:
            browser = AsyncClient()
            browser.cookies = page.cookies
            answer = await browser.get(reverse("model_field", args=["home"]), {"model": model})
            await get_model(base_url=stub_model.base_url, api_key="", model="stub").aclose()
            return answer.content.decode()

        return async_to_sync(ask)()

    stub_model.script_models("404", "ok")
    free = field("<mine>")
    assert "<input" in free
    assert 'value="&lt;mine&gt;"' in free
    listed = field("mine")
    assert "<option>stub</option>" in listed
    assert "<option selected>mine</option>" in listed
    stub_model.script_models("500")  # not asked: what was listed holds for minutes
    assert field("").count("<option") == 2


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
