"""Rate limits of expensive calls: by key and by person, each kind with its own number."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from accounts.authentication import Access
from accounts.limits.limit_counts import add, forget_old
from accounts.limits.rate_limits import CallKind, count_call
from accounts.models import LimitCount, Space, User
from foundation.actors import Actor
from foundation.errors import RateLimited
from tests.conftest import ApiClient, MakeKey
from tests.pages import login

NOW = datetime(2025, 3, 1, 12, 0, 15, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def caller(space: Space, name: str) -> Access:
    return Access(space, Actor("key", "test"), frozenset({"read"}), name)


def calls(access: Access, kind: CallKind, now: datetime) -> int:
    """Return the number of calls that are allowed until one is refused."""
    for made in range(100):
        try:
            count_call(access, kind, now=now)
        except RateLimited:
            return made
    pytest.fail("no call was refused")


def test_each_caller_has_the_limit_of_each_kind_each_minute(
    space: Space, settings: Settings
) -> None:
    settings.EBB_RATES = settings.EBB_RATES | {"search": 3, "lab": 2}
    first, second = caller(space, "key:a"), caller(space, "key:b")

    assert calls(first, CallKind.SEARCH, NOW) == 3
    assert calls(first, CallKind.SEARCH, NOW + MINUTE / 2) == 0
    assert calls(first, CallKind.LAB, NOW) == 2
    assert calls(second, CallKind.SEARCH, NOW) == 3
    assert calls(first, CallKind.SEARCH, NOW + MINUTE) == 3


def test_a_refusal_says_when_the_next_minute_begins(space: Space, settings: Settings) -> None:
    settings.EBB_RATES = settings.EBB_RATES | {"export": 0}

    with pytest.raises(RateLimited, match="Limit of 0 calls per minute") as refused:
        count_call(caller(space, "key:c"), CallKind.EXPORT, now=NOW)

    assert refused.value.retry_after == 45


def other_process() -> None:
    """Forget what this process keeps for itself: the next call is as one of another process."""
    caches["process"].clear()


def test_processes_share_a_limit(space: Space, settings: Settings) -> None:
    settings.EBB_RATES = settings.EBB_RATES | {"search": 3, "explain": 1000}
    access = caller(space, "key:d")
    for _ in range(3):
        other_process()
        count_call(access, CallKind.SEARCH, now=NOW)
    other_process()
    assert calls(access, CallKind.SEARCH, NOW) == 0

    for _ in range(100):  # each takes ten calls and uses one
        other_process()
        count_call(access, CallKind.EXPLAIN, now=NOW)
    assert calls(access, CallKind.EXPLAIN, NOW) == 9


def test_most_calls_need_no_statement(space: Space, settings: Settings) -> None:
    settings.EBB_RATES = settings.EBB_RATES | {"search": 2000}
    access = caller(space, "key:e")

    with CaptureQueriesContext(connection) as sent:
        for _ in range(60):
            count_call(access, CallKind.SEARCH, now=NOW)

    assert len(sent) == 3
    assert LimitCount.objects.get().count == 60


def test_ended_windows_are_deleted(db: None) -> None:
    long_ago = NOW - timedelta(minutes=61)
    add("eve", 1, start=long_ago, since=long_ago)

    forget_old(now=NOW)

    assert not LimitCount.objects.exists()


def test_the_counts_are_not_logged(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'accounts_limitcount'")
        assert cursor.fetchone() == ("u",)


# The kind, and a call that counts as one.
API_CALLS: list[tuple[str, str, str, Any]] = [
    ("search", "POST", "memories/search", {"query": "tea"}),
    ("search", "POST", "tools/search_memories", {"query": "tea"}),
    ("search", "POST", "xml", b"<memory_load>tea</memory_load>"),
    ("search", "POST", "assess", {"user_message": "I like tea"}),
    ("explain", "POST", "memories/search", {"query": "tea", "explain": True}),
    ("preview", "POST", "policy/preview", {"changes": {"capacity": 700}}),
    ("export", "GET", "export", None),
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("kind", "method", "path", "body"), API_CALLS)
def test_an_expensive_call_of_the_api_is_limited(
    key: MakeKey, settings: Settings, kind: str, method: str, path: str, body: Any
) -> None:
    client, usual = ApiClient(key()), settings.EBB_RATES
    assert client.call(method, path, body).status_code == 200

    settings.EBB_RATES = usual | {kind: 0}
    refused = client.call(method, path, body)

    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert 1 <= int(refused["Retry-After"]) <= 60
    settings.EBB_RATES = dict.fromkeys(usual, 0) | {kind: 100}
    assert client.call(method, path, body).status_code == 200


MEM0 = {"query": "tea", "filters": {"user_id": "alice"}}


@pytest.mark.parametrize(
    ("path", "scheme", "body"),
    [("/v1/embeddings", "Bearer", {"input": "tea"}), ("/mem0/v2/memories/search", "Token", MEM0)],
)
def test_searches_of_other_clients_are_limited(
    key: MakeKey, settings: Settings, path: str, scheme: str, body: dict[str, Any]
) -> None:
    client = Client(headers={"Authorization": f"{scheme} {key()}"})
    assert client.post(path, body, content_type="application/json").status_code == 200

    settings.EBB_RATES = settings.EBB_RATES | {"search": 0}

    assert client.post(path, body, content_type="application/json").status_code == 429


PAGES = [
    ("search", "memories", {"q": "tea"}),
    ("lab", "lab", {}),
    ("lab", "lab_figures", {}),
    ("lab", "lab_find", {}),
    ("export", "transfer_export", {}),
]


@pytest.mark.parametrize(("kind", "name", "query"), PAGES)
def test_an_expensive_page_is_limited(
    space: Space, alice: User, settings: Settings, kind: str, name: str, query: dict[str, str]
) -> None:
    settings.EBB_RATES = settings.EBB_RATES | {kind: 0}

    answer = login(alice).get(reverse(name, args=[space.slug]), query)

    assert answer.status_code == 429
    assert "Wait a moment, then try again." in answer.content.decode()
    assert 1 <= int(answer["Retry-After"]) <= 60


def test_the_preview_on_the_policy_page_is_limited(
    space: Space, alice: User, settings: Settings
) -> None:
    settings.EBB_RATES = settings.EBB_RATES | {"preview": 0}

    answer = login(alice).post(reverse("policy_preview", args=[space.slug]))

    assert answer.status_code == 429
