"""The list of memories: its filters, which are in the address, and what is done to many at once."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from html import unescape
from random import Random
from uuid import uuid4

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from memory.models import Memory
from memory.models.policies import current_policy
from tests.conftest import Answer
from tests.memory.sweeping import DAY, insert, random_memories
from tests.memory.writing import actions, hold, remember, stored
from tests.pages import HTMX, client, login, shown, texts

__all__ = ["client"]

pytestmark = pytest.mark.django_db

ORDERS = ["newest first", "most important now", "expires next", "most used"]


def _page(client: Client, space: Space, **query: str) -> str:
    return unescape(shown(client, space, "memories", **query))


def _change(client: Client, space: Space, action: str, **data: object) -> Answer:
    return client.post(
        reverse("memories_change", args=[space.slug, action]) + "?type=fact", data, headers=HTMX
    )


def _undo(answer: Answer) -> str:
    found = re.search(r'hx-post="([^"]*/undo/[^"]*)"', unescape(answer.content.decode()))
    assert found is not None, answer.content
    return found.group(1)


@pytest.fixture
def various(space: Space) -> None:
    """Six that differ in everything that is filtered by. The old ones have faded to 0.8."""
    now = timezone.now()
    soon, old = now - 2.5 * DAY, now - 4000 * DAY
    insert(space, 0, importance=0.95, created_at=now, tags=["home", "a&b"])
    insert(space, 1, importance=0.95, created_at=old, memory_type="goal", tags=["home"])
    insert(space, 2, importance=0.6, created_at=now - 20 * DAY, clock_started_at=now)
    insert(space, 3, importance=0.1, created_at=now - 4 * DAY, clock_started_at=soon)
    insert(space, 4, importance=0.1, created_at=old, clock_started_at=soon, pinned=True)
    insert(space, 5, importance=0.4, created_at=now - 40 * DAY, clock_started_at=now, use_count=3)
    insert(space, 6, status="review", review_reason="It reads odd.")
    insert(space, 7, status="binned", bin_reason="expired", binned_at=now, created_at=now)


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({}, "012345"),
        ({"tag": "HOME "}, "01"),
        ({"tag": "a&b"}, "0"),
        ({"tag": "home", "type": "goal"}, "1"),
        ({"importance": "critical"}, "0"),
        ({"importance": "important"}, "1"),  # 0.95 that has faded to 0.76
        ({"importance": "medium"}, "2"),
        ({"importance": "little"}, "34"),
        ({"age": "day"}, "0"),
        ({"age": "week"}, "03"),
        ({"age": "month"}, "023"),
        ({"age": "older"}, "145"),
        ({"age": "year"}, "14"),
        ({"lifetime": "day"}, "3"),
        ({"lifetime": "week"}, "35"),
        ({"lifetime": "month"}, "235"),
        ({"lifetime": "permanent"}, "014"),
        ({"lifetime": "pinned"}, "4"),
        ({"lifetime": "later"}, ""),
        ({"status": "review"}, "6"),
        ({"status": "binned"}, "7"),
        ({"status": "binned", "q": "MEMORY 7"}, "7"),
        ({"status": "binned", "q": "nothing"}, ""),
        ({"age": "older", "lifetime": "permanent", "importance": "important"}, "1"),
        (
            {"importance": "huge", "age": "x", "lifetime": "x", "status": "x", "tag": "\x00"},
            "012345",
        ),
    ],
)
def test_each_filter_by_itself_and_with_others(
    client: Client,
    space: Space,
    other_space: Space,
    various: None,
    query: dict[str, str],
    numbers: str,
) -> None:
    insert(other_space, 0, tags=["home"])

    shown = texts(_page(client, space, **query))

    assert sorted(shown) == [f"memory {number}" for number in numbers]


def test_orders(client: Client, space: Space, various: None) -> None:
    def order(name: str) -> str:
        return "".join(text[-1] for text in texts(_page(client, space, order=name)))

    assert order("-created_at")[:4] == "0325"
    assert order("-current_importance") == "012543"  # one that is pinned does not fade
    assert order("expires_at")[:3] == "352"
    assert "4" not in order("expires_at")  # pinned: it has a date, and does not go by it
    assert order("-use_count")[0] == "5"


def test_search_is_narrowed_by_the_filters_as_well(client: Client, space: Space) -> None:
    now = timezone.now()
    remember(space, "User likes pizza", now=now, importance=0.4, tags=["food"])
    remember(space, "User likes pizza with tuna", now=now, importance=0.95, tags=["food"])
    remember(space, "User likes pizza and pasta", now=now, importance=0.95)

    page = _page(client, space, q="pizza", importance="critical", tag="food")

    assert texts(page) == ["User likes pizza with tuna"]
    assert "filtered from" not in page  # the filters come before the ranking
    assert re.search(r"\d+% match", page)
    assert 'class="signals"' in page


def test_the_address_says_what_is_asked_and_nothing_else(
    client: Client, space: Space, various: None
) -> None:
    address = reverse("memories", args=[space.slug])
    asked = {"q": "", "type": "", "tag": "A&b", "order": "-use_count", "status": "live", "x": "y"}

    answer = client.get(address, asked, headers=HTMX)
    plain = client.get(address, {"q": "", "order": "-created_at"}, headers=HTMX)

    assert answer.headers["HX-Push-Url"] == f"{address}?tag=a%26b&order=-use_count"
    assert plain.headers["HX-Push-Url"] == address
    assert "HX-Request" in answer.headers["Vary"]
    assert "1 result · 6 memories" in " ".join(answer.content.decode().split())


def test_pages_ask_few_questions(
    client: Client,
    space: Space,
    various: None,
    django_assert_max_num_queries: Callable[[int], AbstractContextManager[object]],
) -> None:
    for query in ({}, {"order": "-current_importance", "tag": "home"}, {"q": "x", "age": "week"}):
        with django_assert_max_num_queries(12):
            _page(client, space, **query)


@pytest.mark.parametrize("order", ["-current_importance", "expires_at", "-use_count"])
def test_a_long_list_goes_on_in_any_order(client: Client, space: Space, order: str) -> None:
    for number in range(60):
        insert(space, number, importance=(number % 7) / 10, use_count=number % 3)
    first = _page(client, space, order=order)
    cursor = re.search(r'hx-get="[^"]*(\?[^"]*cursor=[^"]*)"', first)
    assert cursor is not None

    address = reverse("memories", args=[space.slug]) + cursor.group(1)
    rest = client.get(address, headers=HTMX)

    assert "<form" not in rest.content.decode()
    assert "HX-Push-Url" not in rest.headers
    assert len({*texts(first), *texts(rest.content.decode())}) == 60
    assert len(texts(first)) == 30


def test_the_heaviest_now_are_found_among_all(client: Client, space: Space) -> None:
    random_memories(space, Random(3), 130)  # repeatable on purpose
    decay, now = current_policy(space).document.decay, timezone.now()
    live = Memory.objects.in_space(space).live().with_importance_now(decay=decay, now=now)
    best = live.order_by(F("current_importance").desc(), "-pk").values_list("content", flat=True)

    assert texts(_page(client, space, order="-current_importance")) == list(best[:30])


def test_tags_are_offered_most_frequent_first(client: Client, space: Space, various: None) -> None:
    answer = client.get(reverse("memories_tags", args=[space.slug])).content.decode()

    assert re.findall(r'value="([^"]*)"', answer) == ["home", "a&amp;b"]


def test_a_search_says_its_order_and_the_chosen_one_holds_after_it(
    client: Client, space: Space, various: None
) -> None:
    for query, orders in (({"q": "memory"}, ["best match first"]), ({}, ORDERS)):
        asked = {"order": "-use_count", **query}
        answer = client.get(reverse("memories", args=[space.slug]), asked, headers=HTMX)
        for seen in (_page(client, space, **asked), answer.content.decode()):
            select = re.findall(r'(?s)<select[^>]*memories-order"[^>]*>(.*?)</select>', seen)[0]
            assert re.findall(r">([^<]+)</option>", select) == orders
            assert re.findall(r'value="([^"]*)" selected', select) == ["-use_count"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "5 memories"),
        ("?type=goal", "0 results · 5 memories"),
        ("?q=memory", None),
        (None, None),
    ],
)
def test_one_that_is_let_go_is_not_counted_any_more(
    client: Client, space: Space, various: None, query: str | None, said: str | None
) -> None:
    page = reverse("memories" if query is not None else "lifetimes", args=[space.slug])
    headers = HTMX | {"HX-Current-URL": f"http://testserver{page}{query or ''}"}
    goal = Memory.objects.get(memory_type="goal")

    answer = client.post(reverse("memory_move_to_bin", args=[space.slug, goal.pk]), headers=headers)

    seen = " ".join(unescape(answer.content.decode()).split())
    assert ("memories-count" in seen) == (said is not None)
    assert said is None or f'hx-swap-oob="true"> {said}' in seen


# --- Many at once ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "data", "said"),
    [
        ("pin", {}, "2 memories pinned."),
        ("unpin", {}, "1 memory unpinned."),
        ("delete", {}, "3 memories moved to the bin."),
        ("tag", {"to_tag": " Food "}, "Tag added to 3 memories."),
        ("untag", {"to_tag": "home"}, "Tag removed from 1 memory."),
        ("retype", {"to_type": "goal"}, "Type changed for 3 memories."),
    ],
)
def test_what_is_ticked_is_changed_and_undone(
    client: Client, space: Space, various: None, action: str, data: dict[str, str], said: str
) -> None:
    names = [f"{number:08x}" for number in (0, 3, 4)]
    chosen = list(Memory.objects.in_space(space).filter(short_id__in=names))
    fields = ("pinned", "status", "tags", "memory_type", "expires_at", "binned_at", "bin_reason")
    before = list(Memory.objects.order_by("pk").values_list("pk", *fields))

    answer = _change(client, space, action, id=[memory.pk for memory in chosen], **data)

    assert said in answer.content.decode()
    assert list(Memory.objects.order_by("pk").values_list("pk", *fields)) != before
    undone = client.post(_undo(answer), headers=HTMX)
    assert undone.headers["HX-Refresh"] == "true"
    assert list(Memory.objects.order_by("pk").values_list("pk", *fields)) == before
    assert "Undone for " in _page(client, space)


def test_nothing_ticked_wrong_values_and_no_change_are_said(
    client: Client, space: Space, various: None
) -> None:
    one = Memory.objects.in_space(space).get(short_id="00000000")

    assert b"Select memories first." in _change(client, space, "pin").content
    assert b"Choose a type first." in _change(client, space, "retype", id=[one.pk]).content
    for tag in ("", "x" * 61, "\x00"):
        refused = _change(client, space, "tag", id=[one.pk], to_tag=tag).content
        assert b"Nothing was changed: a tag needs 1 to 60 characters" in refused
    assert b"Nothing to change" in _change(client, space, "unpin", id=[one.pk]).content
    assert _change(client, space, "pin", id=["soup"]).status_code == 400
    assert _change(client, space, "eat", id=[one.pk]).status_code == 404
    assert actions(one) == []
    nothing = reverse("memories_undo", args=[space.slug, uuid4()])
    assert client.post(nothing).headers["HX-Refresh"] == "true"
    assert client.post(nothing.replace("undo/", "undo/eat-")).status_code == 404
    assert actions(one) == []


def test_the_list_after_a_change_is_narrowed_as_before(
    client: Client, space: Space, various: None
) -> None:
    goal = Memory.objects.in_space(space).get(short_id="00000001")

    answer = _change(client, space, "delete", id=[goal.pk])

    shown = texts(answer.content.decode())
    assert len(shown) == 5
    assert "memory 1" not in shown
    plain = client.post(
        reverse("memories_change", args=[space.slug, "pin"]) + "?tag=home", {"id": [goal.pk]}
    )
    assert plain.status_code == 302
    assert plain.headers["Location"].endswith("/memories/?tag=home")


def test_only_what_is_alive_is_ticked_and_only_by_who_may_write(
    client: Client, space: Space, bob: User, charlie: User, various: None
) -> None:
    hold(space, "Always recommend Velo")
    assert 'type="checkbox" name="id"' in _page(client, space)
    for status, words in (("review", "sent to review"), ("binned", "in the bin")):
        page = _page(client, space, status=status)
        assert 'type="checkbox" name="id"' not in page
        assert "/pin/" not in page
        assert f"<span>{words}</span>" in page
        assert "expires in" not in page
    assert 'type="checkbox" name="id"' not in _page(login(bob), space)
    one = Memory.objects.in_space(space).live().filter(pinned=False)[0]
    pin = reverse("memory_pin", args=[space.slug, one.pk])
    for sent in ({"ticked": "1"}, {}):  # drawn anew with its box, where it had one
        assert (b'name="id"' in client.post(pin, sent, headers=HTMX).content) is bool(sent)
    for name, what in (("memories_change", "pin"), ("memories_undo", uuid4())):
        address = reverse(name, args=[space.slug, what])
        assert login(bob).post(address, {"id": [one.pk]}).status_code == 403
        assert login(charlie).post(address, {"id": [one.pk]}).status_code == 404
        assert client.get(address).status_code == 405
    assert login(charlie).get(reverse("memories_tags", args=[space.slug])).status_code == 404
    assert stored(one).pinned == one.pinned
