"""A request can be found again: by the id in its answer, in its error and in the log."""

import asyncio
import logging
from typing import Any

import pytest
from django.test import AsyncClient, Client

from accounts.models import Space
from tests.conftest import ApiClient, MakeKey


def test_a_call_is_logged_with_its_id_and_who_made_it(
    space: Space, key: MakeKey, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "ebb.requests"):
        answer = ApiClient(key()).get("memories/nothing")

    [line] = [r.getMessage() for r in caplog.records if r.name == "ebb.requests"]
    assert line.startswith("GET /api/v1/memories/nothing 422 ")
    assert line.endswith(f" test {answer.headers['X-Request-ID']}")
    assert answer.json()["instance"].endswith(answer.headers["X-Request-ID"])


@pytest.mark.parametrize(
    ("given", "taken"),
    [("call-7:a.b", True), ("x" * 65, False), ("two words", False), ("<b>", False), ("", False)],
)
def test_a_callers_own_id_is_taken_over_if_it_is_one(given: str, taken: bool, db: None) -> None:
    answer = Client().get("/api/v1/health/live", headers={"X-Request-ID": given})

    assert (answer.headers["X-Request-ID"] == given) is taken
    assert answer.headers["X-Request-ID"]


def test_pages_are_not_logged(db: None, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "ebb.requests"):
        Client().get("/login/")

    assert not caplog.records


def test_calls_at_once_have_ids_of_their_own() -> None:
    client = AsyncClient()

    async def both() -> list[Any]:
        return await asyncio.gather(*(client.post("/api/v1/chat") for _ in range(2)))

    first, second = asyncio.run(both())

    assert first.status_code == second.status_code == 401
    ids = [answer.headers["X-Request-ID"] for answer in (first, second)]
    assert len(set(ids)) == 2
    assert first.json()["instance"].endswith(ids[0])
