"""The digest page: weeks, sections, and the undo of a line and of a run."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.members.services import add_member
from accounts.models import Role, Space, User
from foundation.actors import SYSTEM
from memory.consolidation.services import apply_proposals
from memory.models import Memory
from tests.conftest import Answer
from tests.memory.consolidation.runs import PENICILLIN, proposals, run, said
from tests.memory.writing import ALICE, NOW, remember, stored

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
URL = "/s/home/digest/"
WEEK = "2026-W08"


@pytest.fixture
def page(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def body(answer: Answer) -> str:
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def shown(client: Client, **query: str) -> str:
    return body(client.get(URL, {"week": WEEK, **query}))


def undo_urls(text: str) -> list[str]:
    return re.findall(r'hx-post="(/s/home/digest/[^"]*/undo/)"', text)


def test_the_page_is_in_the_navigation_and_on_the_overview(page: Client, space: Space) -> None:
    overview = body(page.get(reverse("overview", args=["home"])))

    assert overview.count(f'href="{URL}"') >= 2
    assert "Weekly digest" in overview
    now = body(page.get(URL))
    assert "this week" in now
    assert "Later week" not in now


def test_a_line_says_what_undo_does_and_is_drawn_again(page: Client, space: Space) -> None:
    memory = remember(space, "User likes pizza")
    text = shown(page)
    assert "User likes pizza" in text
    assert "Undo moves this memory to the bin." in text
    [url] = undo_urls(text)

    answer = body(page.post(url, headers=HTMX))

    assert "Undone." in answer
    assert "Now in the bin" in answer
    assert undo_urls(answer) == []
    assert stored(memory).status == "binned"
    again = body(page.post(url, headers=HTMX))
    assert "Not undone: the memory has changed in the meantime." in again
    assert page.post(url).status_code == 302


def test_weeks_are_paged_through_and_an_empty_one_says_so(page: Client, space: Space) -> None:
    remember(space, "User likes pizza")
    text = shown(page)
    assert "?week=2026-W07" in text
    assert "?week=2026-W09" in text

    empty = shown(page, week="2026-W07")

    assert "Nothing changed this week" in empty
    assert "pizza" not in empty
    # A mistyped week is this week.
    assert "this week" in shown(page, week="2026-99")


def test_a_long_section_has_a_page_of_its_own(page: Client, space: Space) -> None:
    for number in range(12):
        remember(space, f"User owns {number} books")
    text = shown(page)
    assert text.count('class="digest-line"') == 10
    assert "Show all 12" in text

    assert shown(page, section="learned").count('class="digest-line"') == 12
    assert "None this week." in shown(page, section="forgotten")


def test_a_users_lines_are_shown_alone(page: Client, space: Space) -> None:
    remember(space, "User likes tea")
    remember(space, "User likes pizza", user_id="bob")

    assert "User likes tea" in shown(page)
    alone = shown(page, user="bob")
    assert "User likes pizza" in alone
    assert "User likes tea" not in alone


def test_a_viewer_undoes_nothing(client: Client, space: Space) -> None:
    memory = remember(space, "User likes pizza")
    viewer = User.objects.create_user("vera")
    add_member(space=space, user=viewer, role=Role.VIEWER, actor=SYSTEM, now=NOW)
    client.force_login(viewer)

    text = shown(client)

    assert "User likes pizza" in text
    assert undo_urls(text) == []
    line_id = re.findall(r'id="line-(\d+)"', text)[0]
    assert client.post(f"{URL}{line_id}/undo/").status_code == 403
    assert stored(memory).status == "live"


def test_a_whole_run_is_undone_from_the_page(page: Client, space: Space) -> None:
    memories = said(
        space, *PENICILLIN, "User smokes", "User quit smoking", at=NOW - timedelta(days=30)
    )
    apply_proposals(space=space, proposals=proposals(run(space)), actor=ALICE, now=NOW)
    assert Memory.objects.in_space(space).live().count() == 2
    text = shown(page, section="consolidated")
    assert "Undo restores the old memories as they were." in text
    [url] = set(re.findall(r'hx-post="(/s/home/review/consolidation/undo/[^"]+)"', text))

    assert "HX-Refresh" in page.post(url, headers=HTMX).headers

    assert set(Memory.objects.in_space(space).live()) == set(memories)
    assert "Undone" in shown(page, section="consolidated")
