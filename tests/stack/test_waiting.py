"""Calls that wait for a model: what they hold of the database, others cannot have."""

import asyncio
from typing import Any

import httpx2
import pytest

from tests.conftest import MakeKey
from tests.processes import Processes, wait_until
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

CONNECTIONS = 2
WAITING = 5
SAID = "I like pizza a lot"
COMPLETION = {"model": "stub", "messages": [{"role": "user", "content": SAID}]}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "a whole reply": ("/api/v1/chat", {"message": SAID}),
    "a private one": ("/api/v1/chat", {"message": SAID, "private": True}),
    "an assessment": ("/api/v1/assess", {"user_message": SAID, "assistant_response": "Noted."}),
    "a completion": ("/v1/chat/completions", COMPLETION),
    "a completion that streams": ("/v1/chat/completions", COMPLETION | {"stream": True}),
}


def test_calls_that_wait_for_a_model_leave_the_database_to_others(
    processes: Processes, queue: str, key: MakeKey, stub_model: StubModel
) -> None:
    web = processes.web(OPENAI_BASE_URL=stub_model.base_url, EBB_DB_POOL=str(CONNECTIONS))
    headers = {"Authorization": f"Bearer {key()}"}

    async def scene(what: str, path: str, body: dict[str, Any]) -> int:
        async with httpx2.AsyncClient(base_url=web.url, headers=headers, timeout=60) as client:
            calls = [asyncio.create_task(client.post(path, json=body)) for _ in range(WAITING)]
            await asyncio.to_thread(
                wait_until, lambda: stub_model.control.active_replies == WAITING, what=what
            )
            answer = await client.get("/api/v1/memories")
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
        return answer.status_code

    for what, (path, body) in CALLS.items():
        stub_model.script(*["timeout"] * WAITING)
        assert asyncio.run(scene(what, path, body)) == 200, what
        wait_until(lambda: stub_model.control.active_replies == 0, what="the end of the calls")
