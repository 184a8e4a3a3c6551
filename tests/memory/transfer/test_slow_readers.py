"""A download that nobody reads holds no database connection, and few of them are allowed."""

import asyncio

import pytest
from django.db import connection
from django.http import StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from foundation.errors import RateLimited
from foundation.readers import EVERYONE
from memory.transfer import stream
from memory.transfer.stream import MOST_AT_ONCE, export_response
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import remember
from tests.pages import login

pytestmark = pytest.mark.django_db(transaction=True)


def download(space: Space) -> StreamingHttpResponse:
    return export_response(space, EVERYONE, now=timezone.now())


def test_a_space_has_few_downloads_at_a_time(
    space: Space, other_space: Space, key: MakeKey
) -> None:
    unread = [download(space) for _ in range(MOST_AT_ONCE)]

    refused = ApiClient(key()).get("export")
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert int(refused["Retry-After"]) > 0
    download(other_space).close()

    unread.pop().close()
    download(space).close()
    unread.pop().close()


def test_an_unread_download_holds_no_transaction(space: Space) -> None:
    response = download(space)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND state LIKE 'idle in transaction%'"
        )
        assert cursor.fetchone() == (0,)
    response.close()


def test_who_takes_nothing_is_disconnected(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(space, "User likes pizza")
    monkeypatch.setattr(stream, "PATIENCE", 0.01)

    async def send_to_nobody(response: StreamingHttpResponse) -> None:
        async for _piece in response:
            await asyncio.Event().wait()

    for _ in range(MOST_AT_ONCE + 1):  # each frees its place
        response = download(space)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(send_to_nobody(response))
        response.close()


def test_a_place_is_freed_once(space: Space) -> None:
    taken = [download(space) for _ in range(MOST_AT_ONCE)]
    for _ in range(3):
        taken[0].close()

    taken[0] = download(space)
    with pytest.raises(RateLimited):
        download(space)
    for response in taken:
        response.close()


def test_the_page_says_when_enough_downloads_are_open(space: Space, alice: User) -> None:
    unread = [download(space) for _ in range(MOST_AT_ONCE)]

    answer = login(alice).get(reverse("transfer_export", args=[space.slug]), follow=True)

    assert answer.redirect_chain == [(reverse("transfer", args=[space.slug]), 302)]
    assert "Two exports of this space are running" in answer.content.decode()
    for response in unread:
        response.close()
