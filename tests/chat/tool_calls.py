"""Tools that a model calls in a reply: scripted, and read back."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Space
from chat.models import Message
from foundation.actors import SYSTEM
from memory.drafts import MemoryDraft
from memory.model_connections.choosing import ChosenModel
from memory.model_connections.observations import observe
from memory.models import Memory
from tests.chat.talking import ServerEvent, Talker
from tests.conftest import MakeKey
from tests.memory.writing import create_memory
from tests.processes import Web
from tests.stub_model import StubModel

Talk = Callable[[str, str], Talker]


@pytest.fixture
def talker(model_web: Web, stub_model: StubModel, key: MakeKey, talk: Talk) -> Talker:
    knows_tools(stub_model)
    return talk(model_web.url, key())


def knows_tools(stub_model: StubModel, model: str = "stub", *, able: bool = True) -> None:
    """Store the outcome of a trial: whether the stub calls tools."""
    tried = ChosenModel(model, stub_model.base_url, api_key="")
    observe(tried.configuration, "calls_tools", able)


@pytest.fixture
def lisbon(space: Space) -> Memory:
    return known(space, "User moved to Lisbon in March")


def known(space: Space, content: str) -> Memory:
    return create_memory(
        space=space,
        draft=MemoryDraft(content=content, memory_type="fact"),
        actor=SYSTEM,
        now=timezone.now(),
    )


def round_of(*calls: tuple[str, dict[str, Any] | str], say: str = "") -> str:
    """A step of the stub: a text, then these calls."""
    written = [
        [name, arguments if isinstance(arguments, str) else json.dumps(arguments)]
        for name, arguments in calls
    ]
    return "tools:" + json.dumps({"text": say, "calls": written})


def tools_of(events: list[ServerEvent]) -> list[dict[str, Any]]:
    return [event.data for event in events if event.name == "tool"]


def reply_row() -> Message:
    return Message.objects.get(role="assistant")
