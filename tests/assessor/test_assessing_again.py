"""Re-assessment in the real web server: a model that thinks for long holds up nobody else."""

import asyncio

import httpx2
import pytest
from django.test import Client
from django.utils import timezone

from assessor.models import Assessment
from memory.actors import SYSTEM
from memory.models import Space, User
from memory.policies.services import change_policy
from tests.processes import Processes
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

TOKEN = "a" * 32  # of a CSRF cookie and the header that repeats it


def signed_in(user: User, url: str) -> httpx2.AsyncClient:
    client = Client()
    client.force_login(user)
    cookies = {"sessionid": client.cookies["sessionid"].value, "csrftoken": TOKEN}
    headers = {"X-CSRFToken": TOKEN}
    return httpx2.AsyncClient(base_url=url, cookies=cookies, headers=headers, timeout=60)


async def looks_while_a_model_thinks(
    client: httpx2.AsyncClient, page: str, stub_model: StubModel
) -> tuple[httpx2.Response, bool]:
    """The list's answer, and whether the model was still thinking when it came."""
    form = {"provider": "llm", "rubric": "graded"}
    async with client:
        assessing = asyncio.create_task(client.post(f"{page}reassess/", data=form))
        async with asyncio.timeout(60):
            while not stub_model.requests:
                await asyncio.sleep(0.02)
        answer = await client.get("/s/home/assessments/")
        thinking = not assessing.done()
        assessing.cancel()
    return answer, thinking


def test_no_connection_is_held_while_a_model_thinks(
    processes: Processes, stub_model: StubModel, space: Space, alice: User
) -> None:
    change_policy(
        space=space,
        changes={"assessment": {"timeout_seconds": 60}},
        actor=SYSTEM,
        now=timezone.now(),
    )
    row = Assessment.objects.create(space=space, user_message="I like it", state="failed")
    web = processes.web(OPENAI_BASE_URL=stub_model.base_url, EBB_DB_POOL="1")
    stub_model.script("timeout")

    answer, thinking = asyncio.run(
        looks_while_a_model_thinks(
            signed_in(alice, web.url), f"/s/home/assessments/{row.pk}/", stub_model
        )
    )

    assert answer.status_code == 200
    assert "I like it" in answer.text
    assert thinking
