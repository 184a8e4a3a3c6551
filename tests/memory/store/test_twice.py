"""Doing anything twice is doing it once, and nothing that the clock makes of importance is ever
written back: for memories of every kind, at any time."""

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import Space
from foundation.errors import Conflict, NotFound
from memory.drafts import MemoryChange, MemoryDraft
from memory.models import Memory, MemoryEvent, MemoryRevision, PolicyVersion
from memory.models.policies import current_policy
from memory.policies.services import change_policy
from memory.policy import DecayPolicy
from memory.recall.recall import SearchRequest, recall
from memory.retention import statements
from memory.retention.history import Cause
from memory.retention.recycle_bin import (
    delete_memory,
    purge_memory,
    restore_memories,
    restore_memory,
)
from memory.retention.sweep import Swept, sweep
from memory.store.services import create_memories, revise_memory
from memory.store.uses import mark_used
from tests.memory.sweeping import DAY, random_memories
from tests.memory.writing import ALICE, NOW, keyed, set_policy

# One database transaction holds all examples of a test; each begins by emptying the space.
examples = settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
seeds = st.integers(0, 10**6)
days = st.floats(0, 400)

Job = Callable[[Space, datetime], object]


def filled(space: Space, seed: int, **policy: Any) -> Space:
    """The space with memories of every kind and nothing else."""
    emptied(space)
    set_policy(space, **policy)
    random_memories(space, Random(seed), 25)
    return space


def emptied(space: Space) -> None:
    Memory.objects.in_space(space).delete()
    MemoryEvent.objects.in_space(space).delete()


def everything(space: Space) -> list[list[Any]]:
    """Return all rows of the space's tables."""
    return [
        list(model._default_manager.filter(space_id=space.pk).order_by("pk").values_list())
        for model in (Memory, MemoryEvent, MemoryRevision, PolicyVersion)
    ]


def cause(space: Space, now: datetime) -> Cause:
    return Cause(space, ALICE, current_policy(space), now)


def purge_old(space: Space, now: datetime) -> int:
    rows = statements.purgeable(Memory.objects.in_space(space), now=now, bin_days=30)
    return statements.purge(cause(space, now), rows)


@pytest.mark.parametrize(
    "job",
    [
        lambda space, now: sweep(space=space, now=now),
        lambda space, now: statements.expire(cause(space, now)),
        lambda space, now: statements.evict(cause(space, now)),
        purge_old,
    ],
    ids=["sweep", "expire", "evict", "purge"],
)
@examples
@given(
    seed=seeds,
    capacity=st.integers(1, 30),
    grace_hours=st.sampled_from([0, 24, 300]),
    later=days,
)
def test_a_job_that_runs_again_finds_nothing_to_do(
    space: Space, job: Job, seed: int, capacity: int, grace_hours: float, later: float
) -> None:
    now = NOW + later * DAY
    filled(space, seed, capacity=capacity, grace_hours=grace_hours)

    job(space, now)
    once = everything(space)
    again = job(space, now)

    assert again in (0, Swept(0, 0, 0))
    assert everything(space) == once


@examples
@given(seed=seeds, later=days)
def test_back_and_away_for_ever_happen_once(space: Space, seed: int, later: float) -> None:
    now = NOW + later * DAY
    filled(space, seed)
    binned = list(Memory.objects.in_space(space).binned().values_list("pk", flat=True))
    back, away = binned[::2], binned[1::2]

    restore_memories(space=space, memory_ids=back, actor=ALICE, now=now)
    for memory_id in away:
        purge_memory(space=space, memory_id=memory_id, actor=ALICE, now=now)
    once = everything(space)

    for memory_id in back:
        with pytest.raises(Conflict):
            restore_memory(space=space, memory_id=memory_id, actor=ALICE, now=now)
    for memory_id in away:
        with pytest.raises(NotFound):
            purge_memory(space=space, memory_id=memory_id, actor=ALICE, now=now)
    assert everything(space) == once


@examples
@given(seed=seeds)
def test_a_memory_that_stands_twice_before_a_model_is_used_once(space: Space, seed: int) -> None:
    filled(space, seed)
    ids = list(Memory.objects.in_space(space).live().values_list("pk", flat=True))
    before = dict(Memory.objects.in_space(space).values_list("pk", "use_count"))

    mark_used(space=space, memory_ids=ids * 2, actor=ALICE, now=NOW, reason="prompt")

    after = dict(Memory.objects.in_space(space).values_list("pk", "use_count"))
    assert {pk for pk in after if after[pk] == before[pk] + 1} == set(ids)
    assert MemoryEvent.objects.in_space(space).filter(action="used").count() == len(ids)


@examples
@given(
    seed=seeds,
    capacity=st.integers(1, 2000),
    low=st.floats(0, 20),
    permanent=st.floats(0.5, 1),
    language=st.sampled_from(["en", "de", "zh"]),
)
def test_rules_that_are_set_again_are_the_same_version(
    space: Space, seed: int, capacity: int, low: float, permanent: float, language: str
) -> None:
    filled(space, seed)
    changes = {
        "capacity": capacity,
        "language": language,
        "ttl": {"low_days": low, "permanent_threshold": permanent},
    }

    first = change_policy(space=space, changes=changes, actor=ALICE, now=NOW)
    once = everything(space)
    again = change_policy(space=space, changes=changes, actor=ALICE, now=NOW + DAY)

    assert again == first
    assert everything(space) == once


@examples
@given(calls=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=8))
def test_a_key_is_one_memory_however_often_it_comes(
    space: Space, calls: list[tuple[str, str]]
) -> None:
    emptied(space)
    firsts: dict[str, Memory] = {}
    for key, content in calls:
        written = keyed(space, content, key)
        assert written.pk == firsts.setdefault(key, written).pk
        assert written.content == firsts[key].content

    assert Memory.objects.in_space(space).count() == len(firsts)
    assert MemoryEvent.objects.in_space(space).count() == len(firsts)


@examples
@given(seed=seeds, later=days, floor=st.floats(0.8, 1))
def test_importance_now_lies_between_the_floor_and_what_was_given(
    space: Space, seed: int, later: float, floor: float
) -> None:
    """Seed 003, 1.5: "必须保证范围始终在 `[0.8, 1.0]`"."""
    filled(space, seed)
    for lowest, decay in ((0.8, DecayPolicy()), (floor, DecayPolicy(floor=floor))):
        rows = Memory.objects.in_space(space)
        for row in rows.with_importance_now(decay=decay, now=NOW + later * DAY):
            coefficient, weight = row.time_coef, row.current_importance  # type: ignore[attr-defined]  # annotated
            assert lowest <= coefficient <= 1.0
            assert weight == row.importance * coefficient


def happens(job: str, space: Space, one: UUID, now: datetime) -> None:
    """One of the things that can happen to a space and to one memory in it."""
    rows = Memory.objects.in_space(space).filter(pk=one)
    if job == "sweep":
        sweep(space=space, now=now)
    elif job == "recall":
        recall(space, SearchRequest("Which cat?", limit=10), now=now)
    elif job == "use":
        mark_used(space=space, memory_ids=[one], actor=ALICE, now=now, reason="")
    elif job == "retag" and rows.live().exists():
        change = MemoryChange(tags=[f"day {now.day}"])
        revise_memory(space=space, memory_id=one, change=change, actor=ALICE, now=now)
    elif job == "away" and rows.live().exists():
        delete_memory(space=space, memory_id=one, actor=ALICE, now=now)
    elif job == "back" and rows.binned().exists():
        restore_memory(space=space, memory_id=one, actor=ALICE, now=now)


@examples
@given(data=st.data())
def test_what_the_clock_makes_of_importance_is_never_written_back(
    space: Space, data: st.DataObject
) -> None:
    """Days pass; memories are swept, found, used, changed, let go and taken back: their importance
    is what was given, to the last bit."""
    emptied(space)
    given_importance = data.draw(st.lists(st.floats(0, 1), min_size=3, max_size=6))
    drafts = [
        MemoryDraft(content=f"User owns cat {number}", importance=importance)
        for number, importance in enumerate(given_importance)
    ]
    created = create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)
    ids, now = [memory.pk for memory in created], NOW
    jobs = st.sampled_from(["sweep", "recall", "use", "retag", "away", "back"])
    for job in data.draw(st.lists(jobs, min_size=3, max_size=12)):
        now += timedelta(days=data.draw(st.floats(0, 5)))
        one = data.draw(st.sampled_from(ids))
        happens(job, space, one, now)

    kept = dict(Memory.objects.in_space(space).values_list("pk", "importance"))
    expected = dict(zip(ids, given_importance, strict=True))
    assert kept == {pk: expected[pk] for pk in kept}
    events = MemoryEvent.objects.in_space(space).values_list("memory_id", "importance")
    assert {expected[pk] == importance for pk, importance in events} == {True}
