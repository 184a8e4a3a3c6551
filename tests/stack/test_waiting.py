"""Calls that wait for a model: what they hold of the database, others cannot have."""

import asyncio
from typing import Any

import httpx2
import pytest
from django.utils import timezone

from accounts.models import Space, User
from assessor.models import Assessment
from foundation.actors import SYSTEM
from memory.policies.services import change_policy
from tests.conftest import MakeKey
from tests.pages import login
from tests.processes import PATIENCE, Processes
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

CONNECTIONS = 2
WAITING = 5
TOKEN = "a" * 32  # of a CSRF cookie and the header that repeats it
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
    processes: Processes, key: MakeKey, stub_model: StubModel, space: Space, alice: User
) -> None:
    long = {"assessment": {"timeout_seconds": 300}}
    change_policy(space=space, changes=long, actor=SYSTEM, now=timezone.now())
    failed = [
        Assessment.objects.create(space=space, user_message=SAID, state="failed")
        for _ in range(WAITING)
    ]
    web = processes.web(OPENAI_BASE_URL=stub_model.base_url, EBB_DB_POOL=str(CONNECTIONS))
    program = {"headers": {"Authorization": f"Bearer {key()}"}}
    browser = {
        "headers": {"X-CSRFToken": TOKEN},
        "cookies": {"sessionid": login(alice).cookies["sessionid"].value, "csrftoken": TOKEN},
    }

    async def scene(caller: Any, paths: list[str], meanwhile: str, **body: Any) -> int:
        async with httpx2.AsyncClient(base_url=web.url, timeout=PATIENCE, **caller) as client:
            calls = [asyncio.create_task(client.post(path, **body)) for path in paths]
            await asyncio.to_thread(stub_model.until_asked, WAITING)
            answer = await client.get(meanwhile)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
        return answer.status_code

    for what, (path, body) in CALLS.items():
        stub_model.script(*["timeout"] * WAITING)
        calls = scene(program, [path] * WAITING, "/api/v1/memories", json=body)
        assert asyncio.run(calls) == 200, what
        stub_model.until_left()
    pages = [f"/s/home/assessments/{one.pk}/reassess/" for one in failed]
    form = {"provider": "llm", "rubric": "graded"}
    stub_model.script(*["timeout"] * WAITING)
    calls = scene(browser, pages, "/s/home/assessments/", data=form)
    assert asyncio.run(calls) == 200
