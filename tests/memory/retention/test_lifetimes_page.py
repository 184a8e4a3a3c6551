"""The lifetimes page: the timeline, the eviction queue of the sweep, and extending."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from foundation.readers import EVERYONE
from memory.drafts import MemoryChange
from memory.models import Memory
from memory.models.policies import current_policy
from memory.policies.services import change_policy
from memory.retention import forecast
from memory.retention.extend import extend_memory
from memory.retention.statements import evictable
from memory.retention.sweep import sweep
from memory.store.services import revise_memory
from memory.store.uses import mark_used
from tests.memory.sweeping import DAY, insert, live, random_memories, removals
from tests.memory.writing import ALICE, NOW, actions, remember, set_policy, stored
from tests.pages import client, login, shown, texts

__all__ = ["client"]

pytestmark = pytest.mark.django_db


def _page(client: Client, space: Space, name: str = "lifetimes", **query: str) -> str:
    return shown(client, space, name, **query)


@pytest.fixture
def various(space: Space) -> None:
    """One for each time: NOW is a Wednesday at noon, and so are their clocks."""
    for number, (importance, days) in enumerate(
        [(0.1, -2.9), (0.1, -2), (0.4, -3), (0.6, -3), (0.6, -29.9), (0.9, 0)]
    ):
        insert(space, number, importance=importance, clock_started_at=NOW + days * DAY)
    insert(space, 6, importance=0.1, clock_started_at=NOW - 5 * DAY, pinned=True)


def test_each_live_memory_stands_at_its_time_and_in_its_tier(
    space: Space, other_space: Space, various: None
) -> None:
    insert(other_space, 9, importance=0.1)
    set_policy(space, ttl={"medium_days": 60})
    insert(space, 7, importance=0.6)  # under the policy that holds now

    counts = forecast.timeline(space, EVERYONE, current_policy(space).document, NOW)

    found = {(goes, tier): n for goes, tiers in counts.items() for tier, n in tiers.items() if n}
    assert found == {
        ("today", "very_low"): 1,
        ("tomorrow", "very_low"): 1,
        ("week", "low"): 1,
        ("today", "medium"): 1,
        ("month", "medium"): 1,
        ("later", "medium"): 1,
        ("never", "permanent"): 1,
        ("never", "very_low"): 1,
    }


def test_list_has_the_next_first_and_may_be_narrowed_to_a_time(
    client: Client, space: Space
) -> None:
    now = timezone.now()
    insert(space, 1, importance=0.6, clock_started_at=now)
    insert(space, 2, importance=0.1, clock_started_at=now)
    insert(space, 3, importance=0.4, clock_started_at=now)
    insert(space, 4, importance=0.9, clock_started_at=now)
    insert(space, 5, importance=0.1, clock_started_at=now, pinned=True)

    assert texts(_page(client, space)) == ["memory 2", "memory 3", "memory 1"]
    assert texts(_page(client, space, goes="week")) == ["memory 2", "memory 3"]
    assert texts(_page(client, space, goes="month")) == ["memory 1"]
    assert texts(_page(client, space, goes="later")) == []
    assert set(texts(_page(client, space, goes="never"))) == {"memory 4", "memory 5"}
    assert texts(_page(client, space, goes="tomorrow")) == []
    assert len(texts(_page(client, space, goes="nonsense"))) == 3


@pytest.mark.parametrize("seed", range(6))
def test_who_stands_in_line_is_who_the_sweep_lets_go(space: Space, seed: int) -> None:
    random = Random(seed)  # repeatable on purpose
    learning = {"learn": seed % 2 == 1}
    set_policy(space, capacity=800, grace_hours=random.choice([0, 24, 48]), importance=learning)
    random_memories(space, random, 50)
    capacity = random.choice([5, 15, 25])
    change_policy(space=space, changes={"capacity": capacity}, actor=ALICE, now=NOW)

    document = current_policy(space).document
    rules: dict[str, Any] = {
        "now": NOW,
        "grace_hours": document.grace_hours,
        "decay": document.decay,
        "tiers": document.ttl.tiers,
        "learn": document.importance.learn,
    }
    ranked = evictable(Memory.objects.in_space(space), **rules)
    for count in (1, 3, 10):
        few = evictable(Memory.objects.in_space(space), first=count, **rules)[:count]
        first = [(vars(memory)["rank"], memory.pk) for memory in ranked[:count]]
        assert [(vars(memory)["rank"], memory.pk) for memory in few] == first

    found = forecast.line(space, EVERYONE, document, NOW)
    going = [memory.content for memory in found.first[: found.over]]
    swept = sweep(space=space, now=NOW)

    assert going == [content for action, content, _ in removals(space) if action == "evicted"]
    assert [vars(memory)["rank"] for memory in found.first] == list(range(1, len(found.first) + 1))
    assert found.live == len(live(space)) + swept.evicted
    assert found.live == len(found.first) + sum(found.spared.values())


def test_capacity_page_says_who_goes_and_who_is_spared(client: Client, space: Space) -> None:
    old = timezone.now() - 3 * DAY
    for number, importance in enumerate([0.9, 0.75, 0.8]):
        insert(space, number, importance=importance, created_at=old)
    insert(space, 3, importance=0.7, created_at=old, pinned=True)
    insert(space, 4, importance=0.7, created_at=timezone.now())
    set_policy(space, capacity=4)

    page = _page(client, space, "lifetimes_capacity")

    assert texts(page) == ["memory 1", "memory 2", "memory 0", "memory 4"]
    assert "#4; new, counts as 1.00" in page
    assert (
        "a new memory is ranked by the highest importance of its tier: 0.30, 0.50, 0.70 or 1."
        in page
    )
    assert "#1, removed at the next cleanup" in page
    assert "#2" in page
    figures = re.findall(r'figure-value">(\d+)</dd><dd>([^<]*)', page)
    assert ("1", "will be removed at the next cleanup unless protected") in figures
    assert ("1", "protected from removal") in figures
    assert ("1", "newer than 24 hours") in figures


def test_extending_begins_a_lifetime_anew_and_counts_no_use(client: Client, space: Space) -> None:
    memory = remember(space, "User had soup", importance=0.1, now=timezone.now() - 2 * DAY)
    before = timezone.now()

    answer = client.post(reverse("memory_extend", args=[space.slug, memory.pk]))

    assert "expires in 3 days" in answer.content.decode()
    now = stored(memory)
    assert now.clock_started_at >= before
    assert now.expires_at == now.clock_started_at + 3 * DAY
    assert (now.use_count, now.last_active_at, now.revision) == (0, None, 1)
    assert actions(memory) == ["created", "extended"]


def test_renewals_are_uses_that_restarted_a_lifetime_and_other_renewals(
    space: Space,
) -> None:
    def use(memory: Memory, hours: int) -> None:
        now = NOW + timedelta(hours=hours)
        ids = [memory.pk]
        mark_used(
            space=space, memory_ids=ids, supporting=ids, actor=ALICE, now=now, reason="recalled"
        )

    soup = remember(space, "User had soup", importance=0.1)
    name = remember(space, "User is called Jaz", importance=0.9)
    use(soup, 1)
    use(name, 2)  # it stays for good anyway
    revise_memory(
        space=space, memory_id=soup.pk, change=MemoryChange(pinned=True), actor=ALICE, now=NOW
    )
    set_policy(space, ttl={"renew_on_use": False})
    use(soup, 3)
    extend_memory(space=space, memory_id=soup.pk, actor=ALICE, now=NOW + timedelta(hours=4))

    found = [(event.action, event.at) for event in forecast.renewals(space, EVERYONE)]

    assert found == [
        ("extended", NOW + timedelta(hours=4)), ("renewed", NOW + timedelta(hours=1)),
    ]  # fmt: skip


def test_capacity_page_follows_a_policy_that_learns(client: Client, space: Space) -> None:
    old = timezone.now() - 400 * DAY
    insert(space, 0, importance=0.75, created_at=old, times_used=5)
    insert(space, 1, importance=0.8, created_at=old)
    insert(space, 2, importance=0.75, created_at=timezone.now())

    set_policy(space)
    assert texts(_page(client, space, "lifetimes_capacity"))[:2] == ["memory 0", "memory 1"]
    set_policy(space, importance={"learn": True})
    page = _page(client, space, "lifetimes_capacity")
    assert texts(page) == ["memory 1", "memory 0", "memory 2"]
    assert "#2; adjusted by use, counts as 0.68" in page
    assert "#3; new, counts as 1.00" in page


def test_pages_ask_few_questions(
    client: Client,
    space: Space,
    various: None,
    django_assert_max_num_queries: Callable[[int], AbstractContextManager[object]],
) -> None:
    for name in ("lifetimes", "lifetimes_capacity"):
        with django_assert_max_num_queries(12):
            _page(client, space, name)


def test_long_list_goes_on(client: Client, space: Space) -> None:
    for number in range(31):
        insert(space, number, importance=0.1, clock_started_at=NOW + number * DAY)
    cursor = re.search(r"cursor=([\w%=~.-]+)", _page(client, space))
    assert cursor is not None

    address = f"{reverse('lifetimes', args=[space.slug])}?cursor={cursor.group(1)}"
    rest = client.get(address, headers={"HX-Request": "true"}).content.decode()

    assert texts(rest) == ["memory 30"]


def test_strangers_find_nothing_and_viewers_only_look(
    space: Space, bob: User, charlie: User
) -> None:
    memory = remember(space, "User had soup", importance=0.1, now=timezone.now())
    for name in ("lifetimes", "lifetimes_capacity"):
        assert login(charlie).get(reverse(name, args=[space.slug])).status_code == 404
    page = _page(login(bob), space)
    assert texts(page) == ["User had soup"]
    assert "Extend" not in page
    extend = reverse("memory_extend", args=[space.slug, memory.pk])
    assert login(charlie).post(extend).status_code == 404
    assert login(bob).post(extend).status_code == 403
    assert stored(memory).expires_at == memory.expires_at


def test_neither_another_spaces_memory_nor_a_binned_one_is_extended(
    client: Client, space: Space, other_space: Space
) -> None:
    theirs = insert(other_space, 1, importance=0.1)
    gone = insert(space, 2, importance=0.1, status="binned", bin_reason="expired", binned_at=NOW)

    for memory in (theirs, gone):
        answer = client.post(reverse("memory_extend", args=[space.slug, memory.pk]))
        assert answer.status_code == 404
        assert stored(memory).clock_started_at == NOW
