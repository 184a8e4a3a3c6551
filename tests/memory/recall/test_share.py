"""A space's share of the searches that run at once: the other spaces do not wait for it."""

import fcntl
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space
from memory.recall import share
from memory.recall.recall import SearchRequest, recall
from memory.recall.share import share_of, turn, turn_of
from tests.conftest import ApiClient, MakeKey
from tests.processes import queue

__all__ = ["queue"]


@pytest.fixture(autouse=True)
def run_dir(settings: Settings, tmp_path: Path) -> None:
    settings.EBB_RUN_DIR = tmp_path


@pytest.fixture
def full(space: Space, settings: Settings) -> Iterator[ExitStack]:
    """`space` has used its whole share: two of four connections."""
    settings.EBB_DB_POOL = 4
    with ExitStack() as taken:
        for _ in range(2):
            taken.enter_context(share_of(space))
        yield taken


def program(secret: str) -> ApiClient:
    """A program, which is answered what Ebb makes of an exception."""
    client = ApiClient(secret)
    client._client.raise_request_exception = False
    return client


def search(space: Space) -> None:
    recall(space, SearchRequest("tea"), now=timezone.now())


def test_another_space_is_served_while_one_has_used_its_share(
    full: ExitStack, space: Space, other_space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share, "PATIENCE", 0.01)

    with pytest.raises(OperationalError, match="maximum of running searches, 2"):
        search(space)

    search(other_space)
    full.close()
    search(space)


@pytest.mark.django_db(transaction=True)
def test_a_waiting_search_runs_when_another_one_ends(full: ExitStack, space: Space) -> None:
    entered = threading.Event()

    def wait() -> None:
        with share_of(space):
            entered.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert not entered.is_set()
    full.close()
    waiting.join(timeout=60)

    assert entered.is_set()


def test_a_program_is_told_to_come_back(
    full: ExitStack, key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share, "PATIENCE", 0.01)

    answer = program(key()).post("memories/search", {"query": "tea"})

    assert (answer.status_code, answer.json()["code"]) == (503, "busy")
    assert answer["Retry-After"]


def test_long_questions_of_a_space_are_answered_in_turn(
    space: Space, other_space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share, "PATIENCE", 0.01)
    long = "I drink tea. " * 40

    with turn_of(space, long):
        with pytest.raises(OperationalError, match="maximum of running searches, 1"):
            recall(space, SearchRequest(long), now=timezone.now())
        search(space)
        recall(other_space, SearchRequest(long), now=timezone.now())
    recall(space, SearchRequest(long), now=timezone.now())


def test_processes_of_a_host_take_turns(
    space: Space, other_space: Space, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(share, "PATIENCE", 0.01)
    long = "I drink tea. " * 40
    with turn(space):
        [file] = settings.EBB_RUN_DIR.glob("turn-*")

    with file.open("ab") as other_process:
        fcntl.flock(other_process, fcntl.LOCK_EX)
        with pytest.raises(OperationalError, match="Other long work"):
            recall(space, SearchRequest(long), now=timezone.now())
        search(space)
        recall(other_space, SearchRequest(long), now=timezone.now())
    recall(space, SearchRequest(long), now=timezone.now())


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("queue")
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("assess", {"user_message": "I drink tea. " * 40}),
        ("assess", {"user_message": "I drink tea.", "context": {"page": "tea " * 200}}),
        ("assessments", {"user_message": "I drink tea. " * 40}),
        ("policy/preview", {"changes": {"capacity": 700}}),
    ],
)
def test_other_long_work_of_a_space_is_done_in_turn(
    space: Space, key: MakeKey, monkeypatch: pytest.MonkeyPatch, path: str, body: dict[str, Any]
) -> None:
    monkeypatch.setattr(share, "PATIENCE", 0.01)
    client = program(key())

    with turn(space):
        assert client.post(path, body).status_code == 503
        assert client.post("assess", {"user_message": "I drink tea."}).status_code == 200
    assert client.post(path, body).status_code in (200, 202)


def test_the_policy_preview_counts_too(
    full: ExitStack, key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share, "PATIENCE", 0.01)

    answer = program(key()).post("policy/preview", {"changes": {"capacity": 700}})

    assert answer.status_code == 503
