"""The page that says a space in numbers."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Space, User
from foundation.actors import SYSTEM
from memory.models import WorkerHeartbeat
from memory.retention.recycle_bin import delete_memory
from tests.memory.writing import remember
from tests.pages import login

PAGE = "/s/home/overview/"


@pytest.fixture
def browser(alice: User, space: Space) -> Client:
    return login(alice)


def test_an_empty_space_is_told_what_comes_next(browser: Client) -> None:
    assert "No memories yet" in browser.get(PAGE).content.decode()


def test_each_number_leads_to_what_is_behind_it(browser: Client, space: Space) -> None:
    now = timezone.now()
    remember(space, "User likes pizza", now=now, memory_type="preference", importance=0.75)
    remember(space, "User saw a cat", now=now, memory_type="event", importance=0.4)

    with CaptureQueriesContext(connection) as queries:
        page = browser.get(PAGE).content.decode()

    assert len(queries) <= 12
    assert "No memories yet" not in page
    assert "of 800; 798 left" in page
    assert 'hx-get="/s/home/overview/timeline/"' in page
    assert 'href="/s/home/memories/?type=preference"' in page
    assert 'href="/s/home/memories/?importance=important"' in page
    assert 'href="/s/home/memories/?lifetime=day&amp;order=expires_at"' in page
    for address in ("memories/?lifetime=permanent", "bin/", "review/"):
        assert f'href="/s/home/{address}"' in page


def test_the_timeline_counts_the_last_30_days_and_lists_the_newest(
    browser: Client, space: Space
) -> None:
    now = timezone.now()
    memory = remember(space, "User likes <tea>", now=now)
    delete_memory(space=space, memory_id=memory.pk, actor=SYSTEM, now=now)
    remember(space, "User liked coffee", now=now - timedelta(days=40))

    page = browser.get(f"{PAGE}timeline/").text

    assert "saved <b>1</b>" in page
    assert "expired or deleted <b>1</b>" in page
    assert page.count("User likes &lt;tea&gt;") == 2


def test_a_phone_has_four_pages_below_and_the_others_behind_more(browser: Client) -> None:
    for page, is_behind in ((PAGE, False), ("/s/home/policy/", True)):
        below, more = browser.get(page).content.decode().split('id="rail-more"')
        below = below.split("<nav")[1]
        assert below.count('class="rail-link" href') == 4
        assert ("data-current" in below) == is_behind
        assert 'href="/s/home/policy/"' in more


def test_its_pieces_say_what_waits_and_what_works(browser: Client) -> None:
    WorkerHeartbeat.objects.all().delete()  # of a worker that served tests before

    waiting = browser.get("/s/home/assessments/waiting/").content.decode()
    health = browser.get(f"{PAGE}health/").content.decode()

    assert "Everything has been assessed." in waiting
    assert "No worker has reported yet." in health


@pytest.mark.parametrize(
    "address", [PAGE, f"{PAGE}timeline/", f"{PAGE}health/", "/s/home/assessments/waiting/"]
)
def test_strangers_find_nothing(address: str, space: Space, charlie: User) -> None:
    client = Client()
    assert client.get(address).status_code == 302
    client.force_login(charlie)
    assert client.get(address).status_code == 404
