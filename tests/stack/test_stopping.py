"""A server that is asked to end amid replies."""

import asyncio
from typing import Any

import httpx2
import pytest
from django.db.models import F

from chat.models import Message
from tests.conftest import MakeKey
from tests.processes import PATIENCE, Processes, wait_until
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

SAID = "I like pizza a lot"
COMPLETION = {"model": "stub", "messages": [{"role": "user", "content": SAID}]}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/api/v1/chat", {"message": SAID}),
    ("/api/v1/chat", {"message": SAID, "stream": True}),
    ("/v1/chat/completions", COMPLETION),
    ("/v1/chat/completions", COMPLETION | {"stream": True}),
)


def test_replies_under_way_are_stored_before_the_server_is_gone(
    processes: Processes, queue: str, key: MakeKey, stub_model: StubModel
) -> None:
    web = processes.web(OPENAI_BASE_URL=stub_model.base_url)
    headers = {"Authorization": f"Bearer {key()}"}

    async def scene() -> None:
        stub_model.script(*["stall:3"] * len(CALLS))
        async with httpx2.AsyncClient(
            base_url=web.url, headers=headers, timeout=PATIENCE
        ) as client:
            calls = [asyncio.create_task(client.post(path, json=body)) for path, body in CALLS]
            await asyncio.to_thread(
                wait_until,
                lambda: stub_model.control.silent_replies == len(CALLS),
                what="the model's silence",
            )
            await asyncio.to_thread(web.stop)
            await asyncio.gather(*calls, return_exceptions=True)

    asyncio.run(scene())

    replies = Message.objects.filter(role="assistant")
    assert [reply.state for reply in replies] == ["stopped"] * len(CALLS)
    assert all("You said: I".startswith(reply.content) for reply in replies)
    assert replies.filter(assessment__assistant_response=F("content")).count() == len(CALLS)
