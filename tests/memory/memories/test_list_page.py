"""The list of memories as people meet it: who sees it, what it shows, what its buttons do."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from memory.drafts import MemoryDraft
from memory.models import Memory
from memory.store.services import create_memories
from tests.conftest import Answer
from tests.memory.writing import ALICE, actions, remember, stored
from tests.pages import HTMX, login, texts


def memories_page(client: Client, space: Space, *, htmx: bool = False, **query: str) -> str:
    answer = client.get(reverse("memories", args=[space.slug]), query, headers=HTMX if htmx else {})
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


@pytest.fixture
def remembered(space: Space) -> dict[str, Memory]:
    now = timezone.now()
    return {
        "pizza": remember(
            space, "User likes pizza", memory_type="preference", now=now,
            created_at=now - timedelta(days=3),
        ),
        "rain": remember(
            space, "It rained", importance=0.1, now=now, created_at=now - timedelta(days=1)
        ),
        "name": remember(
            space, "User is called Jaz", memory_type="identity", now=now,
            created_at=now - timedelta(days=2),
        ),
    }  # fmt: skip


def test_list_is_newest_first_and_says_how_long_each_stays(
    alice: User, space: Space, remembered: dict[str, Memory]
) -> None:
    page = memories_page(login(alice), space)

    assert texts(page) == ["It rained", "User is called Jaz", "User likes pizza"]
    assert "expires in 3 days" in page
    assert "kept forever" in page
    assert "3 memories" in page


@pytest.mark.parametrize(
    ("order", "first"),
    [
        ("-current_importance", "User is called Jaz"),
        ("expires_at", "It rained"),
        ("-use_count", None),
        ("nonsense", "It rained"),
    ],
)
def test_order_may_be_chosen(
    alice: User, space: Space, remembered: dict[str, Memory], order: str, first: str | None
) -> None:
    shown = texts(memories_page(login(alice), space, order=order))

    assert len(shown) == 3
    assert first in (None, shown[0])


def test_type_narrows_the_list_and_the_search(
    alice: User, space: Space, remembered: dict[str, Memory]
) -> None:
    client = login(alice)

    assert texts(memories_page(client, space, type="identity")) == ["User is called Jaz"]
    assert texts(memories_page(client, space, type="identity", q="pizza")) == ["User is called Jaz"]
    assert len(texts(memories_page(client, space, type="nonsense"))) == 3


@pytest.mark.parametrize(
    "filters",
    [{"importance": "critical"}, {"age": "older"}, {"lifetime": "pinned"}, {"user": "bob"}],
    ids=str,
)
def test_a_search_finds_the_only_memory_that_fits_the_filters(
    alice: User, space: Space, filters: dict[str, Any]
) -> None:
    """It fits the words least of all."""
    old = timezone.now() - timedelta(days=50)
    rest: dict[str, Any] = {"importance": 1.0, "pinned": True, "user_id": "bob", "created_at": old}
    remember(space, "The boiler is in the cellar", now=timezone.now(), **rest)
    drafts = [MemoryDraft(content=f"User likes pizza {n}", importance=0.1) for n in range(250)]
    create_memories(space=space, drafts=drafts, actor=ALICE, now=timezone.now())

    found = texts(memories_page(login(alice), space, q="User likes pizza", **filters))

    assert found == ["The boiler is in the cellar"]


def test_search_shows_what_fits_best_with_its_match_and_counts_no_use(
    alice: User, space: Space, remembered: dict[str, Memory]
) -> None:
    page = memories_page(login(alice), space, q="pizza \x00")

    assert texts(page)[0] == "User likes pizza"
    assert re.search(r"\d+% match", page)
    assert set(Memory.objects.values_list("use_count", flat=True)) == {0}


def test_htmx_gets_the_list_alone(alice: User, space: Space, remembered: dict[str, Memory]) -> None:
    whole = memories_page(login(alice), space)
    fragment = memories_page(login(alice), space, htmx=True)

    assert "<html" in whole
    assert "<html" not in fragment
    assert texts(fragment) == texts(whole)


def test_long_list_goes_on_and_a_forged_cursor_is_a_bad_request(alice: User, space: Space) -> None:
    for number in range(31):
        remember(space, f"number {number}")
    client = login(alice)
    first = memories_page(client, space)
    cursor = re.search(r"cursor=([\w%=~.-]+)", first)
    assert cursor is not None

    rest = memories_page(client, space, htmx=True, cursor=cursor.group(1).replace("%3D", "="))
    forged = client.get(reverse("memories", args=[space.slug]), {"cursor": "forged"})

    assert len(texts(first)) == 30
    assert len(texts(rest)) == 1
    assert not set(texts(first)) & set(texts(rest))
    assert forged.status_code == 400


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "\"'><img src=x onerror=go()>"])
def test_memories_are_text_and_never_markup(alice: User, space: Space, text: str) -> None:
    remember(space, text, tags=[text.lower()])

    client = login(alice)
    for page in (memories_page(client, space), memories_page(client, space, q=text)):
        assert "alert(1)</script>" not in page
        assert "<img" not in page


def test_empty_pages_teach_the_next_step(alice: User, space: Space) -> None:
    assert "No memories yet" in memories_page(login(alice), space)
    assert "No matches" in memories_page(login(alice), space, type="goal")


# --- Who may -------------------------------------------------------------------------------------

ACTIONS = ["memory_move_to_bin", "memory_pin"]


def press(client: Client, action: str, memory: Memory, **sent: str) -> Answer:
    url = reverse(action, args=[memory.space.slug, memory.pk])
    return client.post(url, sent, headers=HTMX)


def test_nobody_goes_to_thelogin(space: Space, remembered: dict[str, Memory]) -> None:
    memory = remembered["pizza"]
    urls = [reverse(action, args=[space.slug, memory.pk]) for action in ACTIONS]
    for answer in (
        Client().get(reverse("memories", args=[space.slug])),
        *(Client().post(url) for url in urls),
    ):
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/login/")
    assert actions(memory) == ["created"]


def test_stranger_finds_nothing(
    charlie: User, space: Space, other_space: Space, remembered: dict[str, Memory]
) -> None:
    client = login(charlie)
    elsewhere = remember(other_space, "User likes pasta")

    assert client.get(reverse("memories", args=[space.slug])).status_code == 404
    assert client.get("/s/none/memories/").status_code == 404
    assert texts(memories_page(client, other_space)) == ["User likes pasta"]
    for action in ACTIONS:
        assert press(client, action, remembered["pizza"]).status_code == 404
        url = reverse(action, args=[other_space.slug, remembered["pizza"].pk])
        assert client.post(url).status_code == 404
    assert actions(remembered["pizza"]) == actions(elsewhere) == ["created"]


def test_viewer_looks_and_changes_nothing(
    bob: User, space: Space, remembered: dict[str, Memory]
) -> None:
    client = login(bob)

    assert len(texts(memories_page(client, space))) == 3
    for action in ACTIONS:
        assert press(client, action, remembered["pizza"]).status_code == 403
    assert actions(remembered["pizza"]) == ["created"]


def test_pages_that_change_something_want_a_csrf_token(
    alice: User, remembered: dict[str, Memory]
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)

    assert press(client, "memory_move_to_bin", remembered["pizza"]).status_code == 403
    assert actions(remembered["pizza"]) == ["created"]


# --- What the buttons do --------------------------------------------------------------------------


def test_deleting_offers_to_restore(
    alice: User, space: Space, remembered: dict[str, Memory]
) -> None:
    client, memory = login(alice), remembered["pizza"]
    before = Memory.objects.values().get(pk=memory.pk)

    gone = press(client, "memory_move_to_bin", memory).content.decode()

    undo = re.search(r'hx-post="([^"]*/undo/[^"]*)"', gone)
    assert undo is not None
    assert "User likes pizza" not in texts(memories_page(client, space))
    assert stored(memory).status == "binned"
    again = press(client, "memory_move_to_bin", memory).content.decode()
    assert "Already in the bin." in again
    assert "hx-post" not in again

    client.post(unescape(undo.group(1)), headers=HTMX)

    assert "User likes pizza" in texts(memories_page(client, space))
    assert Memory.objects.values().get(pk=memory.pk) == before
    assert actions(memory) == ["created", "deleted", "restored"]


def test_pinning_draws_the_memory_anew(alice: User, remembered: dict[str, Memory]) -> None:
    client, memory = login(alice), remembered["rain"]

    for pinned in (True, False):
        # Pressed in two tabs, it is pinned once.
        sent = {"pinned": "yes" if pinned else "no"}
        press(client, "memory_pin", memory, **sent)
        page = press(client, "memory_pin", memory, **sent).content.decode()
        assert texts(page) == ["It rained"]
        assert f'aria-pressed="{str(pinned).lower()}"' in page
        assert stored(memory).pinned is pinned
    assert actions(memory) == ["created", "pinned", "unpinned"]


def test_buttons_do_not_work_by_link(alice: User, remembered: dict[str, Memory]) -> None:
    memory = remembered["pizza"]
    for action in ACTIONS:
        url = reverse(action, args=[memory.space.slug, memory.pk])
        assert login(alice).get(url).status_code == 405


# --- Content-Security-Policy ----------------------------------------------------------------------

PAGES = ["/login/", "/nothing", "/", "/s/home/", "/s/home/memories/", "/api/v1/memories"]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("known", [False, True])
def test_every_page_has_a_strict_policy(alice: User, space: Space, page: str, known: bool) -> None:
    client = login(alice) if known else Client()

    answer = client.get(page, follow=True)

    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "http:" not in policy
    assert "default-src 'self'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy


def test_docs_of_the_api_run_under_the_strict_policy(space: Space) -> None:
    answer = Client().get("/api/v1/docs")

    assert answer.status_code == 200
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    scripts = re.findall(r"<script[^>]*>", answer.content.decode())
    assert scripts
    assert all("application/json" in tag or 'src="/static/' in tag for tag in scripts)
