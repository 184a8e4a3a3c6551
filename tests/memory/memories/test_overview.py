"""A space in numbers, as the API and the dashboard show it."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.outbox.services import queue_assessment
from foundation.actors import SYSTEM
from memory.retention.recycle_bin import delete_memory, restore_memory
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import hold, remember, set_policy


@pytest.fixture
def stats(key: MakeKey, space: Space) -> Any:
    client = ApiClient(key(scopes=["read"]))

    def ask() -> Any:
        answer = client.get("stats")
        assert answer.status_code == 200, answer.content
        return answer.json()

    return ask


def test_an_empty_space_has_a_number_for_everything(stats: Any) -> None:
    before = timezone.now().date()
    empty = stats()
    after = timezone.now().date()

    assert empty["by_status"] == {"live": 0, "review": 0, "binned": 0}
    assert set(empty["by_type"].values()) == set(empty["by_importance"].values()) == {0}
    assert len(empty["by_type"]) == 8
    assert len(empty["days"]) == 30
    assert empty["days"][-1]["day"] in {str(before), str(after)}  # midnight may be between
    assert all((day["came"], day["went"]) == (0, 0) for day in empty["days"])
    assert empty["capacity"] == 800
    assert set(empty["assessments"]) == {
        "queued", "running", "retrying", "done", "ignored", "failed",
    }  # fmt: skip


def test_each_memory_is_counted_where_it_belongs(
    stats: Any, space: Space, other_space: Space
) -> None:
    now = timezone.now()
    remember(other_space, "not ours")
    set_policy(space, capacity=2)
    remember(space, "critical", now=now, memory_type="identity", importance=0.95, pinned=True)
    remember(space, "important", now=now, memory_type="goal", facets={"P": 1.0, "J": 0.5})
    remember(space, "low", now=now, memory_type="fact", importance=0.35)
    gone = remember(space, "gone", now=now, importance=0.1)
    hold(space, "held")
    delete_memory(space=space, memory_id=gone.pk, actor=SYSTEM, now=now)
    queue_assessment(space=space, exchange=Exchange("I like pizza"), now=now)

    found = stats()

    assert found["by_status"] == {"live": 3, "review": 1, "binned": 1}
    assert {k: n for k, n in found["by_type"].items() if n} == {"identity": 1, "goal": 1, "fact": 1}
    assert found["by_importance"] == {
        "critical": 1, "important": 1, "medium": 0, "low": 1, "little": 0,
    }  # fmt: skip
    assert (found["pinned"], found["core"]) == (1, 1)
    assert (found["capacity"], found["over_capacity"]) == (2, 1)
    assert (found["expiring_24h"], found["expiring_7d"]) == (0, 1)
    assert found["assessments"]["queued"] == 1


def test_days_count_what_came_and_went(stats: Any, space: Space) -> None:
    """One that was taken back has come a second time."""
    now = timezone.now()
    memory = remember(space, "comes, goes and comes again", now=now)
    delete_memory(space=space, memory_id=memory.pk, actor=SYSTEM, now=now)
    restore_memory(space=space, memory_id=memory.pk, actor=SYSTEM, now=now)
    earlier = remember(space, "went two days ago", now=now)
    delete_memory(space=space, memory_id=earlier.pk, actor=SYSTEM, now=now - timedelta(days=2))

    days = {day["day"]: (day["came"], day["went"]) for day in stats()["days"]}

    assert days[str((now - timedelta(days=2)).date())] == (0, 1)
    assert sum(went for _, went in days.values()) == 2
    assert days[str(now.date())] == (3, 1)
    assert sum(came for came, _ in days.values()) == 3
