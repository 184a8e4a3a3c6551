"""A conversation has the days of the person who speaks."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space
from assessor.models import Assessment
from chat.models import Conversation
from chat.replies.edits import edit_message
from chat.replies.ephemeral import ephemeral_conversation
from chat.replies.recalling import recalled_for
from chat.replies.turns import answer_again, begin_turn
from chat.replies.writing import recall_for
from foundation.moments import in_zone, zone_called
from memory.memories.schemas import memories_out
from tests.chat.asking import ask
from tests.chat.builtin_turns import answer, result
from tests.conftest import MakeKey
from tests.memory.writing import ALICE, remember
from tests.stub_model import StubModel

SHANGHAI = zone_called("Asia/Shanghai")
MORNING = in_zone(datetime(2026, 9, 14, 23, 30, tzinfo=UTC), SHANGHAI)  # of the 15th
ZONES = ["Pacific/Kiritimati", "Etc/GMT+12"]
"""Their days are never the same: they are 26 hours apart."""
ASKED = ["What have I told you today?", "我今天告诉了你什么？"]


def _today(zone: str) -> str:
    return f"{timezone.now().astimezone(ZoneInfo(zone)):%Y-%m-%d}"


@pytest.mark.django_db
def test_a_turn_keeps_the_zone_for_the_reply_and_the_worker(space: Space) -> None:
    reply = begin_turn(space=space, text="我明天有考试", now=MORNING, claimed=True)

    conversation = Conversation.objects.get()
    assert conversation.time_zone == Assessment.objects.get().time_zone == "Asia/Shanghai"
    assert conversation.here(MORNING.astimezone(UTC)).date() == MORNING.date()
    conversation.messages.filter(pk=reply.pk).update(state="done", content="好")
    moved = in_zone(MORNING + timedelta(days=1), zone_called("America/New_York"))
    answer_again(space=space, conversation_id=conversation.pk, now=moved)
    conversation.refresh_from_db()
    assert conversation.time_zone == "America/New_York"


@pytest.mark.django_db
def test_an_edit_is_said_in_the_zone_of_its_time(space: Space) -> None:
    reply = begin_turn(space=space, text="我明天有考试", now=MORNING.astimezone(UTC), claimed=True)
    reply.conversation.messages.filter(pk=reply.pk).update(state="done", content="好")
    said = reply.conversation.messages.get(role="user")

    edit_message(space=space, message_id=said.pk, text="我明天有面试", actor=ALICE, now=MORNING)

    assert Assessment.objects.exclude(time_zone="UTC").get().time_zone == "Asia/Shanghai"
    assert Conversation.objects.get().time_zone == "Asia/Shanghai"


@pytest.mark.django_db
@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize(
    ("zone", "listed"), [("Asia/Shanghai", ["tea"]), ("America/New_York", ["coffee", "tea"])]
)
def test_what_was_said_today_is_since_the_askers_midnight(
    space: Space, question: str, zone: str, listed: list[str]
) -> None:
    # Midnight in Shanghai is 16:00 UTC, and noon in New York.
    remember(space, "User likes coffee", now=datetime(2026, 9, 14, 15, 59, tzinfo=UTC))
    remember(space, "User likes tea", now=datetime(2026, 9, 14, 16, 1, tzinfo=UTC))
    conversation = ephemeral_conversation(space=space, user_id=None)
    now = in_zone(datetime(2026, 9, 14, 23, 30, tzinfo=UTC), zone_called(zone))

    found = recalled_for(conversation, question, now=now)

    texts = [memory["content"] for memory in memories_out([one.memory for one in found.results])]
    assert sorted(texts) == [f"User likes {what}" for what in listed]


@pytest.mark.django_db
def test_a_reply_recalls_on_the_persons_day(space: Space) -> None:
    for zone in ZONES:
        conversation = ephemeral_conversation(space=space, user_id=None, time_zone=zone)
        found = recall_for(conversation, "Where do I live?", said_by=None)
        assert found is not None
        assert f"{found.question.now:%Y-%m-%d}" == _today(zone)


def test_the_built_in_reply_counts_the_persons_days() -> None:
    """At noon of the 18th in UTC it is the 19th in Kiritimati: yesterday's memory is of today."""
    quoted = result("User moved to Lisbon", days=1)
    assert "Feb. 17, 2026" in answer("Where did I move?", quoted)

    here = in_zone(datetime(2026, 2, 17, 13, 0, tzinfo=UTC), zone_called("Pacific/Kiritimati"))
    late = answer("Where did I move?", quoted, now=here)

    assert "Feb. 18, 2026" in late


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("queue")
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("private", [False, True])
def test_the_prompt_names_the_day_of_the_call(
    key: MakeKey,
    space: Space,
    stub_model: StubModel,
    settings: Settings,
    zone: str,
    *,
    private: bool,
) -> None:
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "key", stub_model.base_url
    settings.EBB_CHAT_MODEL = "stub"
    body = {"message": "Hello", "timezone": zone, "private": private}

    replied, _content = ask(key(), space, "/api/v1/chat", body)

    assert replied.status_code == 200
    system = stub_model.requests[-1].body["messages"][0]["content"]
    assert f"Today is {_today(zone)}." in system


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("queue")
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("chat/completions", {"messages": [{"role": "user", "content": "Where do I live?"}]}),
        ("responses", {"input": "Where do I live?"}),
    ],
)
def test_openais_clients_name_their_zone_too(
    key: MakeKey,
    space: Space,
    stub_model: StubModel,
    settings: Settings,
    zone: str,
    path: str,
    body: dict[str, Any],
) -> None:
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "key", stub_model.base_url
    settings.EBB_CHAT_MODEL = "stub"
    remember(space, "User lives in Lisbon", now=timezone.now())

    replied, _content = ask(
        key(), space, f"/v1/{path}", body | {"model": "stub", "ebb": {"timezone": zone}}
    )

    assert replied.status_code == 200
    notes = stub_model.requests[-1].body["messages"][0]["content"]
    assert f"- [{_today(zone)}] User lives in Lisbon" in notes
    assert Assessment.objects.get().time_zone == zone
