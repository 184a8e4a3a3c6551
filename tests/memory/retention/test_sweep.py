"""The sweep: who expires, whom capacity takes, what the bin forgets; once each, whoever sweeps."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from math import exp
from random import Random
from threading import Barrier
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import Space, User
from assessor.models import Assessment
from foundation.actors import SYSTEM, Actor
from memory.formulas.importance import current_importance, time_coef
from memory.models import Memory, MemoryEmbedding, MemoryEvent, MemoryRevision
from memory.models.policies import current_policy
from memory.retention.recycle_bin import delete_memory
from memory.retention.statements import evictable
from memory.retention.sweep import Swept, sweep, sweep_all
from memory.store.uses import mark_used
from memory.tasks import sweep_all_spaces
from tests.assessor.outbox import again, taught
from tests.memory.sweeping import DAY, insert, live, random_memories, removals, statuses
from tests.memory.writing import ALICE, NOW, remember, set_policy, stored

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)


@pytest.mark.parametrize(
    ("importance", "days"), [(0.69, 30), (0.5, 30), (0.49, 7), (0.3, 7), (0.29, 3), (0.0, 3)]
)
def test_each_tier_goes_when_its_days_are_over(
    space: Space, importance: float, days: float
) -> None:
    """Seed 001, `calculate_ttl`: "elif importance >= 0.5: return 30 * 24 * 3600  # 1 month;
    elif importance >= 0.3: return 7 * 24 * 3600   # 1 week; else: return 3 * 24 * 3600"."""
    memory = remember(space, "User had soup", importance=importance)

    assert sweep(space=space, now=NOW + days * DAY - SECOND) == Swept(0, 0, 0)
    assert sweep(space=space, now=NOW + days * DAY) == Swept(1, 0, 0)
    assert (stored(memory).status, stored(memory).bin_reason) == ("binned", "expired")


def test_a_policy_that_learns_removes_first_what_answers_do_not_use(space: Space) -> None:
    """The counts of the first outweigh its importance; only the policy lets them act."""
    insert(space, 1, importance=0.8, times_unused=40)
    insert(space, 2, importance=0.75, times_used=5)
    insert(space, 3, importance=0.9)

    set_policy(space, capacity=2)
    assert [memory.content for memory in queue(space)] == ["memory 2", "memory 1", "memory 3"]
    set_policy(space, capacity=2, importance={"learn": True})
    assert [memory.content for memory in queue(space)] == ["memory 1", "memory 2", "memory 3"]
    assert sweep(space=space, now=NOW) == Swept(0, 1, 0)
    assert removals(space) == [("evicted", "memory 1", 1)]
    gone = Memory.objects.in_space(space).binned().get()
    assert gone.importance_then == pytest.approx(0.8 * (0.8 + 0.2 * exp(-2 / 30)))


def test_no_adjustment_is_overlooked_in_a_long_queue(space: Space) -> None:
    """The index narrows the queue down by the base importance; an adjustment must not fall out."""
    set_policy(space, capacity=1, importance={"learn": True})
    for number in range(20):
        insert(space, number, importance=0.5 + number / 100)
    insert(space, 99, importance=0.72, objections=50)
    Memory.objects.in_space(space).filter(importance__lt=0.7).update(confirmations=50)

    [first, *_] = queue(space, first=1)
    assert first.content == "memory 99"


def queue(space: Space, first: int | None = None) -> list[Memory]:
    """The memories that may be evicted, in their order."""
    rules = current_policy(space).document
    rows = evictable(
        Memory.objects.in_space(space),
        now=NOW,
        grace_hours=rules.grace_hours,
        decay=rules.decay,
        tiers=rules.ttl.tiers,
        learn=rules.importance.learn,
        first=first,
    )
    return list(rows)


@pytest.mark.parametrize("kept", [{"importance": 0.7}, {"importance": 0.1, "pinned": True}])
def test_permanent_and_pinned_memories_never_expire(space: Space, kept: dict[str, Any]) -> None:
    """Seed 001: "if importance >= self.permanent_threshold: return None  # Permanent"."""
    remember(space, "User's name is Ada", **kept)

    assert sweep(space=space, now=NOW + 3650 * DAY) == Swept(0, 0, 0)


def test_an_old_conversation_that_is_imported_does_not_expire_at_once(space: Space) -> None:
    remember(space, "User had soup", importance=0.1, created_at=NOW - 400 * DAY)

    assert sweep(space=space, now=NOW) == Swept(0, 0, 0)
    assert sweep(space=space, now=NOW + 3 * DAY) == Swept(1, 0, 0)


def test_use_renews_a_lifetime_unless_the_policy_says_no(space: Space) -> None:
    memory = remember(space, "User had soup", importance=0.1)

    def use(now: datetime) -> None:
        ids = [memory.pk]
        mark_used(space=space, memory_ids=ids, supporting=ids, actor=ALICE, now=now, reason="")

    use(NOW + 2 * DAY)
    assert sweep(space=space, now=NOW + 4 * DAY) == Swept(0, 0, 0)
    set_policy(space, ttl={"renew_on_use": False})
    use(NOW + 4 * DAY)
    assert sweep(space=space, now=NOW + 5 * DAY) == Swept(1, 0, 0)


def test_an_expiry_is_recorded_with_its_numbers(space: Space) -> None:
    memory = insert(space, 1, importance=0.4, use_count=3, created_at=NOW - 10 * DAY)
    then = NOW + 7 * DAY
    weight = current_importance(0.4, time_coef(17.0, 3, core=False))

    sweep(space=space, now=then, actor=Actor("key", "night job"))

    [event] = MemoryEvent.objects.in_space(space)
    memory = stored(memory)
    assert (memory.binned_at, memory.rank_then) == (then, None)
    assert memory.importance == 0.4
    assert memory.importance_then == pytest.approx(weight, abs=1e-12)
    assert event.current_importance == pytest.approx(weight, abs=1e-12)
    assert (event.action, event.reason, event.content) == ("expired", "expired", "memory 1")
    assert (event.at, event.rank, event.importance) == (then, None, 0.4)
    assert (event.actor_type, event.actor_name, event.policy_version) == ("key", "night job", 1)


def test_a_sweep_is_one_action(space: Space) -> None:
    set_policy(space, capacity=1)
    insert(space, 0, importance=0.1, clock_started_at=NOW - 90 * DAY)
    for number in (1, 2):
        insert(space, number, importance=0.9)
    for then in (NOW, NOW + 60 * DAY):
        sweep(space=space, now=then)

    events = MemoryEvent.objects.in_space(space).order_by("pk")
    did = [(event.action, event.action_id) for event in events]
    assert [action for action, _ in did] == ["expired", "evicted", "purged", "purged"]
    assert None not in {did[0][1], did[2][1]}
    assert did[0][1] == did[1][1] != did[2][1] == did[3][1]


def test_above_capacity_the_least_important_now_go_in_order(space: Space) -> None:
    """Seed 003, section 5: "用于超额淘汰（>800 时从低到高送入回收站）"."""
    set_policy(space, capacity=2)
    insert(space, 1, importance=0.9)
    insert(space, 2, importance=0.71, core=True)
    insert(space, 3, importance=0.72, created_at=NOW - 90 * DAY)  # weighs .57 now
    insert(space, 4, importance=0.8, use_count=50)
    insert(space, 5, importance=0.71, core=True, created_at=NOW - 3 * DAY)  # older than its equal

    assert sweep(space=space, now=NOW) == Swept(0, 3, 0)

    assert removals(space) == [
        ("evicted", "memory 3", 1),
        ("evicted", "memory 5", 2),
        ("evicted", "memory 2", 3),
    ]
    ranks = Memory.objects.in_space(space).binned().order_by("rank_then")
    assert list(ranks.values_list("content", "rank_then")) == [
        ("memory 3", 1),
        ("memory 5", 2),
        ("memory 2", 3),
    ]
    assert live(space) == ["memory 1", "memory 4"]


@pytest.mark.parametrize(("count", "evicted"), [(800, 0), (803, 3)])
def test_the_default_capacity_is_800(space: Space, count: int, evicted: int) -> None:
    """Seed 003, section 5: "用于超额淘汰（>800 时从低到高送入回收站）"."""
    for number in range(count):
        insert(space, number)

    assert sweep(space=space, now=NOW) == Swept(0, evicted, 0)
    assert Memory.objects.in_space(space).live().count() == 800


def test_pinned_memories_are_not_the_victims(space: Space) -> None:
    set_policy(space, capacity=1, grace_hours=24)
    insert(space, 1, importance=0.1, pinned=True)
    insert(space, 2, importance=0.2, pinned=True)
    insert(space, 3, importance=0.9)

    # Two too many, but only one may go.
    assert sweep(space=space, now=NOW) == Swept(0, 1, 0)
    assert live(space) == ["memory 1", "memory 2"]


def test_new_memories_compete_with_each_other_before_more_important_ones(space: Space) -> None:
    """Seed 003, section 5: "超额淘汰（>800 时从低到高送入回收站）". Twenty new ones at .01 must not
    push out twenty at .70."""
    set_policy(space, capacity=20, grace_hours=24)
    for number in range(20):
        insert(space, number, importance=0.7)
    for number in range(20, 40):
        insert(space, number, importance=0.01, created_at=NOW)
    insert(space, 40, importance=0.9, created_at=NOW)

    assert sweep(space=space, now=NOW) == Swept(0, 21, 0)

    evicted = [content for _, content, _ in removals(space)]
    assert sorted(evicted[:20]) == sorted(f"memory {number}" for number in range(20, 40))
    assert "memory 40" in live(space)  # a new one is not the victim because it is new
    assert len(live(space)) == 20


def test_a_new_memory_outlasts_older_ones_of_its_tier_for_the_grace_period(space: Space) -> None:
    set_policy(space, capacity=2, grace_hours=24)
    insert(space, 1, importance=0.29)
    insert(space, 2, importance=0.05, created_at=NOW - 23 * HOUR)
    insert(space, 3, importance=0.31)

    assert sweep(space=space, now=NOW) == Swept(0, 1, 0)
    assert live(space) == ["memory 2", "memory 3"]

    insert(space, 4, importance=0.29)
    assert sweep(space=space, now=NOW + HOUR) == Swept(0, 1, 0)
    assert live(space) == ["memory 3", "memory 4"]


def test_what_has_expired_makes_room_first(space: Space) -> None:
    set_policy(space, capacity=1)
    insert(space, 1, importance=0.6, clock_started_at=NOW - 30 * DAY)
    insert(space, 2, importance=0.1)

    assert sweep(space=space, now=NOW) == Swept(1, 0, 0)
    assert live(space) == ["memory 2"]


def test_the_bin_forgets_after_its_days_and_the_history_its_text(space: Space) -> None:
    memory = remember(space, "User likes pizza")
    MemoryRevision.objects.create(
        space=space, memory=memory, number=1, content="x", memory_type="fact", importance=0.1
    )
    assessment = Assessment.objects.create(space=space)
    taught(assessment, memory)
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)

    assert sweep(space=space, now=NOW + 30 * DAY - SECOND) == Swept(0, 0, 0)
    assert sweep(space=space, now=NOW + 30 * DAY) == Swept(0, 0, 1)

    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what a commit would check
    assert not Memory.objects.in_space(space).exists()
    assert not MemoryEmbedding.objects.in_space(space).exists()
    assert not MemoryRevision.objects.filter(space=space).exists()
    assert again(assessment).memory is None
    event = MemoryEvent.objects.in_space(space).get(action="purged")
    assert (event.memory_id, event.content) == (memory.pk, "")
    assert event.reason == "deleted"


def test_days_of_zero_let_go_at_the_next_sweep(space: Space) -> None:
    set_policy(space, bin_days=0, ttl={"very_low_days": 0})
    remember(space, "User had soup", importance=0.1)

    assert sweep(space=space, now=NOW) == Swept(1, 0, 1)


def test_sweeping_again_changes_nothing(space: Space) -> None:
    set_policy(space, capacity=3)
    for number in range(10):
        insert(space, number, importance=number / 10, clock_started_at=NOW - 5 * DAY)
    insert(space, 99, status="binned", bin_reason="deleted", binned_at=NOW - 31 * DAY)
    first = sweep(space=space, now=NOW)
    before = (statuses(space), removals(space))

    assert first == Swept(3, 4, 1)
    assert sweep(space=space, now=NOW) == Swept(0, 0, 0)
    assert (statuses(space), removals(space)) == before


def test_a_sweep_stays_in_its_space_and_sweep_all_reaches_every_one(
    space: Space, other_space: Space
) -> None:
    for number, one in enumerate([space, other_space]):
        insert(one, number, importance=0.1, clock_started_at=NOW - 5 * DAY)

    sweep(space=space, now=NOW)
    assert (live(space), live(other_space)) == ([], ["memory 1"])
    sweep_all(now=NOW)
    assert live(other_space) == []


def test_beat_sweeps_every_five_minutes(space: Space) -> None:
    entry = settings.CELERY_BEAT_SCHEDULE["sweep"]
    insert(space, 1, importance=0.1, clock_started_at=NOW - 5 * DAY)

    assert entry["task"] == sweep_all_spaces.name
    assert (entry["schedule"], entry["options"]) == (300.0, {"expires": 300.0})
    sweep_all_spaces()  # by the real clock, which is later than NOW
    assert live(space) == []


@pytest.mark.django_db(transaction=True)
def test_four_sweeps_at_once_let_each_memory_go_once(space: Space) -> None:
    set_policy(space, capacity=50, bin_days=30)
    for number in range(300):
        lifetime = NOW - (5 * DAY if number % 3 == 0 else 0 * DAY)
        insert(space, number, importance=number % 10 / 10, clock_started_at=lifetime)
    for number in range(300, 330):
        insert(space, number, status="binned", bin_reason="deleted", binned_at=NOW - 31 * DAY)
    together = Barrier(4)

    def run(_: int) -> Swept:
        together.wait(timeout=30)
        try:
            return sweep(space=space, now=NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(run, range(4)))

    totals = [sum(getattr(a, name) for a in answers) for name in ("expired", "evicted", "purged")]
    expired = sum(1 for number in range(0, 300, 3) if number % 10 / 10 < 0.3)
    assert totals == [expired, 300 - expired - 50, 30]
    assert len(live(space)) == 50
    left = MemoryEvent.objects.in_space(space).filter(action__in=["expired", "evicted", "purged"])
    gone = list(left.values_list("action", "memory_id"))
    assert len(gone) == len(set(gone)) == sum(totals)


@pytest.mark.django_db(transaction=True)
def test_a_sweep_does_not_wait_for_a_row_in_use_and_lets_it_live(space: Space) -> None:
    """Another transaction uses the memory during the sweep: the use counts."""
    memory = insert(space, 1, importance=0.1, clock_started_at=NOW - 5 * DAY)

    def swept() -> Swept:
        try:
            return sweep(space=space, now=NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            ids = [memory.pk]
            mark_used(space=space, memory_ids=ids, supporting=ids, actor=SYSTEM, now=NOW, reason="")
            assert pool.submit(swept).result(timeout=30) == Swept(0, 0, 0)
        assert pool.submit(swept).result(timeout=30) == Swept(0, 0, 0)
    assert live(space) == ["memory 1"]


def test_batches_let_go_what_one_sweep_does_in_the_same_order(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    random_memories(space, Random(7), 60)
    set_policy(space, capacity=6, grace_hours=0)
    with transaction.atomic():
        whole = sweep(space=space, now=NOW)
        expected, left = removals(space), statuses(space)
        transaction.set_rollback(True)
    monkeypatch.setattr("memory.retention.sweep.BATCH", 3)
    assert min(whole.expired, whole.evicted) > 3

    assert sweep(space=space, now=NOW) == whole
    assert sorted(removals(space), key=str) == sorted(expected, key=str)
    assert statuses(space) == left


def test_an_owner_sweeps_on_the_page(space: Space, alice: User, bob: User) -> None:
    insert(space, 1, importance=0.1, clock_started_at=NOW - 90 * DAY)
    owner, viewer = Client(), Client()
    owner.force_login(alice)
    viewer.force_login(bob)
    begin = reverse("lifetimes_sweep", args=["home"])

    assert viewer.post(begin).status_code == 403
    assert "1 expired, 0 removed for space, 0 purged." in owner.post(begin, follow=True).text
    assert live(space) == []
