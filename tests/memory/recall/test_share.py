"""A space's share of the searches that run at once: the other spaces do not wait for it."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from django.db import OperationalError
from django.utils import timezone
from pytest_django import Settings

from memory.models import Space
from memory.recall import share
from memory.recall.recall import SearchRequest, recall
from memory.recall.share import share_of, turn_of
from tests.conftest import ApiClient, MakeKey


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

    with pytest.raises(OperationalError, match="most: 2"):
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
        with pytest.raises(OperationalError, match="most: 1"):
            recall(space, SearchRequest(long), now=timezone.now())
        search(space)
        recall(other_space, SearchRequest(long), now=timezone.now())
    recall(space, SearchRequest(long), now=timezone.now())


def test_the_policy_preview_counts_too(
    full: ExitStack, key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share, "PATIENCE", 0.01)

    answer = program(key()).post("policy/preview", {"changes": {"capacity": 700}})

    assert answer.status_code == 503
