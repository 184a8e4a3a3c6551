"""The bin as people meet it: why each memory went, taking back with undo, deleting for good."""

import re
from datetime import timedelta
from html import unescape
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from accounts.models import Space, User
from foundation.actors import Actor
from memory.models import Memory, MemoryEvent
from memory.retention.overview import removals_by_reason
from memory.retention.recycle_bin import delete_memory, restore_memory, undo_restore
from memory.retention.sweep import sweep
from memory.review.services import reject_memory
from tests.conftest import Answer
from tests.memory.reconciliation.test_remembering import say
from tests.memory.sweeping import DAY, insert, statuses
from tests.memory.writing import ALICE, NOW, actions, hold, remember, set_policy, stored
from tests.pages import HTMX, client, login, shown, texts

__all__ = ["client"]


def _page(client: Client, space: Space, name: str = "bin", **query: str) -> str:
    return unescape(shown(client, space, name, **query))


def _lines(page: str) -> list[str]:
    """Return the texts of the history's lines, in order."""
    return re.findall(r'<p class="entry-text".*?<a [^>]*>(.*?)</a>', page, re.DOTALL)


def _send(client: Client, space: Space, name: str, *which: object, **data: object) -> Answer:
    return client.post(reverse(name, args=[space.slug, *which]), data, headers=HTMX)


@pytest.fixture
def gone(space: Space) -> dict[str, Memory]:
    """One of each kind of departure, an hour apart; over capacity two of three."""
    now = timezone.now()
    kept = {"rejected": hold(space, "turned away"), "deleted": remember(space, "deleted by hand")}
    reject_memory(
        space=space, memory_id=kept["rejected"].pk, actor=ALICE, now=now - timedelta(hours=5)
    )
    delete_memory(
        space=space, memory_id=kept["deleted"].pk, actor=ALICE, now=now - timedelta(hours=4)
    )
    kept["superseded"] = say(space, "I moved to Lisbon in March")
    say(space, "I moved from Lisbon to Porto")
    old = now - 40 * DAY
    kept["expired"] = insert(space, 1, importance=0.2, created_at=old, clock_started_at=old)
    kept["over_capacity"] = insert(space, 2, importance=0.8, created_at=old)
    insert(space, 3, importance=0.95, created_at=old)
    set_policy(space, capacity=2)
    sweep(space=space, now=now)
    return kept


@pytest.mark.django_db
def test_each_departure_says_why_by_whom_by_which_rules_and_when_it_is_purged(
    client: Client, space: Space, gone: dict[str, Memory]
) -> None:
    cards = _page(client, space).split('<article class="memory binned"')[1:]
    card = {name: next(c for c in cards if str(m.pk) in c) for name, m in gone.items()}

    assert len(cards) == 5
    assert "expired" in card["expired"]
    assert "removed as #1 over the limit of 2" in card["over_capacity"]
    assert "by Ebb" in card["over_capacity"]
    assert "policy version 2" in card["over_capacity"]
    assert "Replaced by:" in card["superseded"]
    assert "I moved from Lisbon to Porto" in card["superseded"]
    assert "It reads odd." in card["rejected"]
    assert "by <bdi>alice</bdi>" in card["deleted"]
    assert "policy version 1" in card["deleted"]
    then = stored(gone["deleted"])
    assert f"{then.importance_then:.2f} at that time" in card["deleted"]
    assert then.binned_at is not None
    purged = date_format(then.binned_at + 30 * DAY, "DATE_FORMAT")
    assert f"purged on {purged}" in card["deleted"]


@pytest.mark.django_db
def test_the_bin_is_narrowed_by_reason_and_by_words(
    client: Client, space: Space, gone: dict[str, Memory]
) -> None:
    assert texts(_page(client, space, reason="expired")) == ["memory 1"]
    assert texts(_page(client, space, q="BY HAND")) == ["deleted by hand"]
    assert texts(_page(client, space, q="by hand", reason="expired")) == []
    assert len(texts(_page(client, space, reason="nonsense"))) == 5


@pytest.mark.django_db
def test_many_are_taken_back_and_undoing_it_puts_them_back_as_they_lay(
    client: Client, space: Space, gone: dict[str, Memory]
) -> None:
    fields = ("status", "bin_reason", "binned_at", "importance_then", "rank_then")
    before = list(Memory.objects.in_space(space).order_by("pk").values_list(*fields))
    ids = [gone[name].pk for name in ("over_capacity", "superseded", "rejected")]

    page = unescape(_send(client, space, "bin_restore", id=ids).content.decode())

    assert "3 memories restored." in page
    assert len(texts(page)) == 2
    assert {stored(memory).status for memory in gone.values() if memory.pk in ids} == {"live"}
    undo = re.search(r'hx-post="([^"]*put-back[^"]*)"', page)
    assert undo is not None
    assert client.post(undo.group(1), headers=HTMX).headers["HX-Refresh"] == "true"
    assert list(Memory.objects.in_space(space).order_by("pk").values_list(*fields)) == before
    assert actions(gone["superseded"]) == ["created", "deleted", "restored", "deleted"]
    client.post(undo.group(1), headers=HTMX)  # once more changes nothing
    assert actions(gone["superseded"])[-2:] == ["restored", "deleted"]
    assert "Replaced by:" in _page(client, space, reason="superseded")


@pytest.mark.django_db
def test_undo_leaves_what_was_taken_back_anew(client: Client, space: Space) -> None:
    memory = remember(space, "came back twice")
    for hour in (1, 2):
        when = NOW + timedelta(hours=hour)
        delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=when)
        restore_memory(space=space, memory_id=memory.pk, actor=ALICE, now=when)

    first = MemoryEvent.objects.filter(memory_id=memory.pk, action="restored").earliest("pk")
    address = reverse("bin_put_back", args=[space.slug, first.action_id])
    assert client.post(address).status_code == 200

    assert stored(memory).status == "live"
    last = MemoryEvent.objects.filter(memory_id=memory.pk, action="restored").latest("pk")
    assert last.action_id is not None
    for somebody, put_back in ((Actor("user", "bob"), 0), (ALICE, 1)):
        done = undo_restore(space=space, action_id=last.action_id, actor=somebody, now=when)
        assert done == put_back
    assert client.post(address.replace("put-back/", "put-back/x")).status_code == 404


@pytest.mark.django_db
def test_one_button_is_about_one_memory_and_nothing_chosen_changes_nothing(
    client: Client, space: Space, gone: dict[str, Memory]
) -> None:
    before = statuses(space)
    for name in ("bin_restore", "bin_purge"):
        assert b"first." in _send(client, space, name).content
    assert statuses(space) == before

    only = {"only": gone["deleted"].pk, "id": [gone["expired"].pk]}
    assert b"1 memory restored." in _send(client, space, "bin_restore", **only).content
    assert stored(gone["expired"]).status == "binned"
    again = _send(client, space, "bin_restore", id=[gone["deleted"].pk, gone["expired"].pk])
    assert b"no longer in the bin" in again.content
    assert stored(gone["expired"]).status == "binned"  # all or none
    assert _send(client, space, "bin_purge", id=["nonsense"]).status_code == 400


@pytest.mark.django_db
def test_what_is_deleted_for_good_stays_in_the_history(
    client: Client, space: Space, gone: dict[str, Memory]
) -> None:
    gone_for_good = [gone["deleted"].pk, gone["superseded"].pk]
    page = _send(client, space, "bin_purge", id=gone_for_good).content.decode()

    assert "2 memories purged." in page
    assert not Memory.objects.filter(pk__in=gone_for_good).exists()
    kept = _page(client, space, "bin_history", q=str(gone_for_good[0]))
    assert len(_lines(kept)) == 3
    again = _send(client, space, "bin_purge", id=[gone_for_good[0], gone["expired"].pk])
    assert b"no longer in the bin" in again.content
    assert stored(gone["expired"]).status == "binned"


@pytest.mark.django_db
def test_departures_are_counted_by_reason_even_after_they_came_back_or_were_purged(
    client: Client, space: Space, gone: dict[str, Memory], other_space: Space
) -> None:
    insert(other_space, 9, status="binned", bin_reason="deleted", binned_at=timezone.now())
    now = timezone.now()
    # The superseded one went at NOW of the tests, long before the last 30 days.
    lines = MemoryEvent.objects.in_space(space).removals()
    moments = [(str(vars(line)["why"]), line.at) for line in lines]
    assert {why for why, _ in moments} == {
        "expired", "over_capacity", "deleted", "superseded", "rejected",
    }  # fmt: skip
    days = removals_by_reason(space=space, now=now)
    assert len(days) == 30
    assert list(days)[-1] == now.date()
    counted = {why: sum(day[why] for day in days.values()) for why in days[now.date()]}
    expected = {why: 1 for why, at in moments if at > now - 29 * DAY}
    assert {why: count for why, count in counted.items() if count} == expected

    _send(client, space, "bin_restore", id=[gone["superseded"].pk, gone["expired"].pk])
    _send(client, space, "bin_purge", id=[gone["deleted"].pk])
    assert removals_by_reason(space=space, now=now) == days
    chart = reverse("bin_chart", args=[space.slug])
    assert f'hx-get="{chart}"' in _page(client, space)
    assert f"{len(expected)} memories removed" in client.get(chart).content.decode()


@pytest.mark.django_db
def test_history_is_narrowed_by_action_actor_memory_and_day(
    client: Client, space: Space, gone: dict[str, Memory]
) -> None:
    def asked(**query: str) -> list[str]:
        return _lines(_page(client, space, "bin_history", **query))

    today = f"{timezone.now():%Y-%m-%d}"
    assert asked(action="evicted") == ["memory 2"]
    assert asked(actor="system:ebb", action="expired") == ["memory 1"]
    assert asked(actor="user:alice", action="rejected") == ["turned away"]
    assert asked(actor="user:bob") == []
    assert asked(q=gone["deleted"].short_id) == ["deleted by hand"] * 2
    assert asked(day=today, action="evicted") == ["memory 2"]
    assert asked(day="2020-01-01") == []
    everything = MemoryEvent.objects.in_space(space).count()
    assert len(asked()) == len(asked(day="soon", action="x", actor="y")) == everything


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["bin", "bin_history"])
def test_long_lists_go_on(client: Client, space: Space, name: str) -> None:
    for number in range(31):
        memory = insert(space, number)
        delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW + number * DAY)
    first = _page(client, space, name)
    cursor = re.search(r"cursor=([\w%=~.-]+)", first)
    assert cursor is not None
    address = f"{reverse(name, args=[space.slug])}?cursor={cursor.group(1)}"

    rest = client.get(address, headers=HTMX).content.decode()

    assert "<form" not in rest
    assert "memory 0" in rest
    assert "memory 1<" not in rest
    assert client.get(reverse(name, args=[space.slug]), {"cursor": "x"}).status_code == 400


@pytest.mark.django_db
def test_pages_ask_few_questions_however_much_lies_there(
    client: Client, space: Space, gone: dict[str, Memory], django_assert_max_num_queries: object
) -> None:
    for name in ("bin", "bin_history"):
        with django_assert_max_num_queries(13):  # type: ignore[operator]  # a fixture without a type
            _page(client, space, name)


@pytest.mark.django_db
def test_strangers_find_nothing_and_viewers_only_look(
    space: Space, bob: User, charlie: User, gone: dict[str, Memory]
) -> None:
    before = statuses(space)
    for name in ("bin", "bin_history"):
        assert login(charlie).get(reverse(name, args=[space.slug])).status_code == 404
    page = _page(login(bob), space)
    assert len(texts(page)) == 5
    assert page.count("Restore") == 1  # "Restore within 30 days", and no button
    assert 'type="checkbox"' not in page
    ids = [memory.pk for memory in gone.values()]
    for address in (["bin_restore"], ["bin_purge"], ["bin_put_back", uuid4()]):
        assert _send(login(charlie), space, *address, id=ids).status_code == 404
        assert _send(login(bob), space, *address, id=ids).status_code == 403
    assert statuses(space) == before


@pytest.mark.django_db
def test_another_spaces_memory_is_not_taken_back(
    client: Client, space: Space, other_space: Space
) -> None:
    theirs = insert(other_space, 1, status="binned", bin_reason="deleted", binned_at=NOW)

    for name in ("bin_restore", "bin_purge"):
        assert b"no longer in the bin" in _send(client, space, name, id=[theirs.pk]).content

    assert stored(theirs).status == "binned"


@pytest.mark.django_db
def test_a_search_for_words_goes_on_until_it_has_found_something(
    client: Client, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer looks at a bounded number of lines, and says how far it has looked."""
    monkeypatch.setattr("memory.store.history_views.LOOKED_AT", 2)
    for content in ("a cello", "tea", "tea", "tea", "rain"):
        remember(space, content)

    answers = [
        client.get(reverse("bin_history", args=[space.slug]), {"q": "cello"}).content.decode()
    ]
    for _ in range(2):
        [link] = re.findall(r'hx-get="([^"]*cursor=[^"]*)"', answers[-1])
        answers.append(client.get(unescape(link), headers=HTMX).content.decode())

    assert ["a cello" in answer for answer in answers] == [False, False, True]
    assert ["Searched back to" in answer for answer in answers] == [True, True, False]
    assert ['hx-trigger="load"' in answer for answer in answers] == [True, True, False]
    assert not any("No matches" in answer for answer in answers)
    [link] = re.findall(r'hx-get="([^"]*cursor=[^"]*)"', answers[1])
    nothing = client.get(unescape(link).replace("cello", "oboe"), headers=HTMX).content.decode()
    assert "No more results" in nothing
