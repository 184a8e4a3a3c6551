"""Tools and XML tags ask the connected model what a statement is to those near it."""

import json

import pytest
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space
from foundation.actors import SYSTEM
from memory.drafts import MemoryDraft
from memory.models import BinReason, Memory, MemoryEvent
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import create_memory, set_policy, stored
from tests.stub_model import StubModel

pytestmark = pytest.mark.django_db

SAID = "User's commute takes an hour by ferry"
ADVICE = {"decision": "supersede", "memory": 1, "quote": "by ferry", "reasoning": "No more train"}
CALLS = {
    "remember": ("tools/remember", {"content": SAID}),
    "memory_write": ("tools/memory_write", {"content": SAID, "importance": 0.8}),
    "XML": ("xml", f'<memory_save importance="0.8">{SAID}</memory_save>'),
}


@pytest.fixture
def model(stub_model: StubModel, settings: Settings) -> StubModel:
    settings.OPENAI_BASE_URL = stub_model.base_url
    settings.EBB_ASSESSOR_MODEL = "stub"
    return stub_model


@pytest.fixture
def train(space: Space) -> Memory:
    draft = MemoryDraft(content="User's commute takes an hour by train", memory_type="fact")
    return create_memory(space=space, draft=draft, actor=SYSTEM, now=timezone.now())


def said(api: ApiClient, way: str) -> None:
    path, body = CALLS[way]
    given = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    assert api.call("POST", path, given).status_code == 200


@pytest.mark.parametrize("way", CALLS)
def test_the_models_decision_is_carried_out(
    space: Space, key: MakeKey, model: StubModel, train: Memory, way: str
) -> None:
    """Seed 003, 2.1: "冲突由 AI 处理（…，以用户最新为准）"."""
    model.script(f"reply:{json.dumps(ADVICE)}")

    said(ApiClient(key()), way)

    assert (stored(train).status, stored(train).bin_reason) == ("binned", BinReason.SUPERSEDED)
    assert Memory.objects.in_space(space).live().get().content == SAID
    event = MemoryEvent.objects.in_space(space).get(memory_id=train.pk, action="deleted")
    assert event.reason == "No more train (“by ferry”)"
    [asked] = model.requests
    assert "by train" in asked.body["messages"][1]["content"]


@pytest.mark.parametrize("way", CALLS)
@pytest.mark.parametrize("reply", ["nonsense", "500"])
def test_without_a_usable_answer_the_rule_decides(
    space: Space, key: MakeKey, model: StubModel, train: Memory, way: str, reply: str
) -> None:
    model.script(reply)

    said(ApiClient(key()), way)

    assert Memory.objects.in_space(space).live().count() == 2


@pytest.mark.parametrize("way", CALLS)
def test_a_space_assessed_without_a_model_asks_none(
    space: Space, key: MakeKey, model: StubModel, train: Memory, way: str
) -> None:
    set_policy(space, assessment={"provider": "local"})

    said(ApiClient(key()), way)

    assert model.requests == []
    assert Memory.objects.in_space(space).live().count() == 2


def test_the_same_words_ask_no_model(
    space: Space, key: MakeKey, model: StubModel, train: Memory
) -> None:
    answer = ApiClient(key()).post("tools/remember", {"content": train.content})

    assert answer.json()["data"]["id"] == str(train.pk)
    assert model.requests == []
