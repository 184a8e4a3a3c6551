"""Without a model, memories are there when the reply has ended, and nothing is assessed twice."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from django.utils import timezone

from accounts.models import Embedder, Space
from assessor import tasks
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox import services
from foundation.database.leases import REQUEUE_AFTER
from memory.models import Memory
from tests.assessor.outbox import again, claim, queued
from tests.conftest import MakeKey
from tests.processes import Web, web

__all__ = ["web"]

SAID = Exchange("I'm allergic to penicillin", "I will keep that in mind.")
# By kin, so that no fact is near to another.
WAYS: list[tuple[str, str, Callable[[str], dict[str, Any]]]] = [
    ("sister Mara", "/api/v1/chat", lambda said: {"message": said, "stream": True}),
    ("uncle Theo", "/api/v1/chat", lambda said: {"message": said}),
    (
        "neighbour Ola",
        "/v1/chat/completions",
        lambda said: {"messages": [{"role": "user", "content": said}], "stream": True},
    ),
    ("boss Ingrid", "/v1/responses", lambda said: {"input": said, "stream": True}),
    ("cousin Raj", "/api/v1/assessments", lambda said: {"user_message": said}),
    (
        "teacher Wim",
        "/mem0/v1/memories/",
        lambda said: {"messages": [{"role": "user", "content": said}], "async_mode": True},
    ),
]


@pytest.mark.stack
@pytest.mark.django_db(transaction=True)
def test_another_request_recalls_it_when_the_reply_has_ended(
    web: Web, space: Space, key: MakeKey
) -> None:
    """No worker runs."""
    secret = key()
    headers = {"Authorization": f"Bearer {secret}"}
    with httpx2.Client(base_url=web.url, headers=headers, timeout=90) as client:
        for who, path, body in WAYS:
            said = f"My {who} is allergic to penicillin"
            own = {"Authorization": f"Token {secret}"} if "mem0" in path else {}
            assert client.post(path, json=body(said), headers=own).is_success, path
            asked = {"query": f"Who is {who}, and is {who} allergic to anything?"}
            found = client.post("/api/v1/memories/search", json=asked).json()["results"]
            assert said in [one["memory"]["content"] for one in found], path
    assert set(Assessment.objects.values_list("state", "attempts")) == {(State.DONE, 1)}


def test_it_is_assessed_here_and_a_worker_finds_nothing_to_do(
    space: Space, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        row = queued(space, SAID)
    [memory] = Memory.objects.all()
    assert (again(row).state, again(row).memories) == (State.DONE, [memory])

    tasks.assess(space.pk, str(row.pk))

    assert (again(row).attempts, list(Memory.objects.all())) == (1, [memory])


@pytest.mark.usefixtures("queue")
def test_a_worker_that_was_faster_keeps_it(
    space: Space, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        row = queued(space, SAID)
    assert claim(row, timezone.now()) is not None
    for callback in callbacks:
        callback()
    assert (again(row).state, again(row).attempts) == (State.RUNNING, 1)
    assert not Memory.objects.exists()


@pytest.mark.usefixtures("queue")
@pytest.mark.parametrize("dies", ["before it claims", "while it assesses"])
def test_a_worker_finishes_what_a_killed_process_began(space: Space, dies: str) -> None:
    row = queued(space, SAID)  # and nothing happens after the commit
    if dies == "while it assesses":
        assert claim(row, timezone.now()) is not None
    later = timezone.now() + services.LEASE + REQUEUE_AFTER

    assert services.requeue_due(now=later) == 1
    Assessment.objects.filter(pk=row.pk, state=State.RUNNING).update(leased_until=timezone.now())
    tasks.assess(space.pk, str(row.pk))

    [memory] = Memory.objects.all()
    assert (again(row).state, again(row).memories) == (State.DONE, [memory])


@pytest.mark.usefixtures("queue")
@pytest.mark.parametrize("model", ["assessor", "embedder", "next embedder"])
def test_an_exchange_waits_for_a_worker_if_a_connected_model_must_answer(
    space: Space, django_capture_on_commit_callbacks: Any, model: str
) -> None:
    connected = Embedder(provider="openai", model="e", dimensions=384)
    if model == "embedder":
        space.embedder = connected
    if model == "next embedder":
        space.next_embedder = connected
    with django_capture_on_commit_callbacks(execute=True):
        row = queued(space, replace(SAID, provider="llm" if model == "assessor" else ""))
    assert (again(row).state, again(row).attempts) == (State.QUEUED, 0)


def test_a_reply_stays_if_its_assessment_fails(
    space: Space, django_capture_on_commit_callbacks: Any
) -> None:
    wrong = Embedder.objects.create(provider="local", model="unknown", dimensions=384)
    Space.objects.filter(pk=space.pk).update(embedder=wrong)
    with django_capture_on_commit_callbacks(execute=True):
        row = queued(space, SAID)
    assert (again(row).state, again(row).user_message) == (State.FAILED, SAID.user_message)
