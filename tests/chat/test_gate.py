"""Requests through the API that teach nothing: prompts of programs, and learning turned off."""

from typing import Any

import httpx2
import openai
import pytest
from django.utils import timezone

from accounts.keys.services import create_key
from accounts.models import Space
from assessor.models import Assessment, GateCount
from chat.models import Conversation, Message
from foundation.actors import SYSTEM
from memory.models import Memory
from tests.chat.openai_client import (
    QUESTION,
    STORY,
    MakeClient,
    ask,
    client,
    ebb,
    make_client,
    said,
)
from tests.conftest import MakeKey
from tests.processes import Web
from tests.stub_model import StubModel

__all__ = ["client", "make_client"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

TITLE = (
    "Create a concise title for the conversation below. Return only the title.\n\n"
    "User: I moved to Lisbon in March\nAI: Noted.\n\nTitle:"
)


def answer_of(client: openai.OpenAI, messages: list[Any], **options: Any) -> tuple[Any, str | None]:
    """Ask, and return the answer with its header X-Ebb-Gate."""
    raw = client.chat.completions.with_raw_response.create(
        model="ebb", messages=messages, **options
    )
    return raw.parse(), raw.headers.get("X-Ebb-Gate")


def test_a_programs_prompt_is_answered_with_recall_and_leaves_no_trace(
    client: openai.OpenAI, lisbon: Memory
) -> None:
    task = {"X-OpenWebUI-Task": "query_generation"}
    answer, gated = answer_of(client, said(QUESTION), extra_headers=task)
    assert gated == "client_task"
    assert answer.choices[0].message.content
    assert [hit["memory"]["id"] for hit in ebb(answer)["recalled"]] == [str(lisbon.pk)]
    assert ebb(answer)["conversation_id"] is None
    assert not Conversation.objects.exists()
    assert not Message.objects.exists()
    assert not Assessment.objects.exists()
    assert GateCount.objects.get().reason == "client_task"
    assert answer_of(client, said(TITLE))[1] == "task_prompt"
    assert not Message.objects.exists()

    ordinary, ungated = answer_of(client, said(STORY))
    assert ungated is None
    assert ebb(ordinary)["assessment_id"] is not None


def test_a_stream_of_a_gated_request_has_the_header(client: openai.OpenAI) -> None:
    asked = client.chat.completions.with_streaming_response.create(
        model="ebb", messages=said(TITLE), stream=True
    )
    with asked as response:
        assert response.headers["X-Ebb-Gate"] == "task_prompt"
        assert "[DONE]" in response.read().decode()
    assert not Message.objects.exists()


def test_a_client_may_name_its_own_task(client: openai.OpenAI) -> None:
    for options in (
        {"extra_headers": {"X-OpenWebUI-Task": "title_generation"}},
        {"metadata": {"task": "tags"}},
    ):
        assert answer_of(client, said(STORY), **options)[1] == "client_task"
    unfilled = {"X-OpenWebUI-Task": "{{TASK}}"}
    assert answer_of(client, said(STORY), extra_headers=unfilled)[1] is None


def test_a_temporary_chat_of_open_webui_leaves_no_trace(client: openai.OpenAI) -> None:
    for chat in ("temporary:UJ9mVdnJ", "local:UJ9mVdnJ"):
        header = {"X-OpenWebUI-Chat-Id": chat}
        assert answer_of(client, said(STORY), extra_headers=header)[1] == "temporary_chat"
    assert not Conversation.objects.exists()
    assert not Assessment.objects.exists()


def test_a_long_text_repeated_around_changing_parts_is_a_template(client: openai.OpenAI) -> None:
    frame = "Dear helper, I send you what my shop has sold, " + "and more of the same, " * 14
    gates = [answer_of(client, said(frame + f"item {n}"))[1] for n in range(4)]
    assert gates == [None, None, None, "repeated_template"]
    assert answer_of(client, said("A short note, and " + "more, " * 9 + "more"))[1] is None


def test_learning_is_off_by_a_header_or_for_a_key(
    client: openai.OpenAI,
    model_web: Web,
    make_client: MakeClient,
    space: Space,
    lisbon: Memory,
) -> None:
    scopes, now = ["read", "write"], timezone.now()
    secret = create_key(space=space, scopes=scopes, actor=SYSTEM, now=now, learns=False)[1]
    quiet = make_client(model_web, secret)
    off = {"X-Ebb-Learn": "off"}
    for answer in (
        ask(client, said(STORY), extra_headers=off),
        ask(quiet, said(STORY)),
        ask(quiet, said(STORY), extra_headers={"X-Ebb-Learn": "on"}),
    ):
        assert ebb(answer)["recalled"]
        assert ebb(answer)["assessment_id"] is None
    assert not Assessment.objects.exists()
    assert set(Conversation.objects.values_list("memory", flat=True)) == {"on"}
    with pytest.raises(openai.APIStatusError, match="X-Ebb-Learn"):
        ask(client, said(STORY), extra_headers={"X-Ebb-Learn": "maybe"})


def test_chat_and_assessments_obey_the_header_and_the_gate(
    model_web: Web, key: MakeKey, stub_model: StubModel
) -> None:
    headers = {"Authorization": f"Bearer {key()}"}
    off = headers | {"X-Ebb-Learn": "off"}
    with httpx2.Client(base_url=f"{model_web.url}/api/v1", headers=headers, timeout=60) as api:
        turn = api.post("/chat", json={"message": STORY}, headers=off)
        assert turn.json()["assessment_id"] is None
        gated = api.post("/chat", json={"message": TITLE})
        assert gated.headers["X-Ebb-Gate"] == "task_prompt"
        row = api.get(f"/assessments/{gated.json()['assessment_id']}").json()
        assert (row["status"], row["attempts"]) == ("ignored", 0)

        body = {"user_message": STORY}
        assert api.post("/assessments", json=body, headers=off).json()["status"] == "ignored"
        queued = api.post("/assessments", json={"user_message": TITLE})
        assert queued.headers["X-Ebb-Gate"] == "task_prompt"
        assert queued.json()["status"] == "ignored"
        assessed = api.post("/assess", json={"user_message": TITLE, "store": True})
        assert assessed.headers["X-Ebb-Gate"] == "task_prompt"
        assert assessed.json()["memory"] is None
        kept = api.post("/assess", json=body | {"store": True, "provider": "local"}, headers=off)
        assert kept.json()["assessment"]["id"] is None
    assert not Memory.objects.exists()


def test_conversations_stay_one_by_the_clients_name(client: openai.OpenAI, space: Space) -> None:
    def place(**options: Any) -> str:
        found: str = ebb(ask(client, said("hello"), **options))["conversation_id"]
        return found

    webui = {"X-OpenWebUI-Chat-Id": "chat-7"}
    named = place(extra_headers=webui)
    assert named == place(extra_headers=webui)
    assert named == place(metadata={"conversation_id": "chat-7"})
    assert named != place(metadata={"conversation_id": "chat-8"})


def test_conversations_stay_one_when_a_client_rewrites_replies_and_trims_history(
    client: openai.OpenAI,
) -> None:
    second = "Which parts of the city are quiet and green?"
    begun = ask(client, said(STORY))
    reply = begun.choices[0].message.content
    shortened = " ".join(reply.split()[: -(len(reply.split()) // 4) or None]) + " (edited)"
    later = ask(client, said(STORY, shortened, second))
    trimmed = ask(client, said(STORY, "Rewritten.", second, "Rewritten, too.", "And in winter?"))
    stranger = ask(client, said(STORY, "Quite another answer altogether.", "And in winter?"))
    ids = [ebb(one)["conversation_id"] for one in (begun, later, trimmed, stranger)]
    assert ids[0] == ids[1] == ids[2] != ids[3]


def test_a_conversation_stays_one_when_no_reply_comes_back_as_it_was(
    client: openai.OpenAI,
) -> None:
    second, third = "Which parts of the city are quiet and green?", "And which of them by night?"
    begun = ask(client, said(STORY))
    rewritten = ask(client, said(STORY, "Rewritten.", second))
    trimmed = ask(client, said(second, "Rewritten, too.", third))
    alone = [{"role": "user", "content": text} for text in (second, third, "And in winter?")]
    without_replies = ask(client, alone)
    ids = {ebb(one)["conversation_id"] for one in (begun, rewritten, trimmed, without_replies)}
    assert len(ids) == 1
    again = ask(client, said(third))
    ambiguous = ask(client, said(third, "Rewritten.", "And in spring?"))
    assert len(ids | {ebb(one)["conversation_id"] for one in (again, ambiguous)}) == 3
