"""Trying rules: the preview says what the change and a sweep then do, and changes nothing."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Space
from memory.models import Memory, MemoryEvent
from memory.models.policies import current_policy
from memory.policies.preview import MAX_LISTED, preview_policy
from memory.policies.services import change_policy
from memory.recall.recall import SearchRequest, recall
from memory.retention.sweep import sweep
from tests.conftest import ApiClient, MakeKey
from tests.memory.sweeping import DAY, insert, random_memories, statuses
from tests.memory.writing import ALICE, NOW, remember, set_policy


def _preview(
    space: Space, changes: Mapping[str, Any], *queries: str, as_of: Any = None
) -> dict[str, Any]:
    shown = preview_policy(space=space, changes=changes, queries=queries, now=NOW, as_of=as_of)
    return {
        name: [(memory.content, memory.why) for memory in getattr(shown, name)]
        for name in ("would_expire", "would_evict", "would_stay")
    } | {"counts": shown.counts, "rankings": shown.rankings}


def _random_changes(random: Random) -> dict[str, Any]:
    every: dict[str, Any] = {
        "capacity": random.choice([1, 10, 30, 60]),
        "grace_hours": random.choice([0, 1, 24, 48]),
        "ttl": {
            "permanent_threshold": random.choice([0.6, 0.7, 0.9]),
            "medium_days": random.choice([0, 5, 60]),
            "very_low_days": random.choice([0, 1.5, 10]),
        },
        "importance": {"learn": True},
        "decay": {"floor": random.choice([0.8, 0.95]), "scale_days": random.choice([1, 100])},
    }
    return {name: part for name, part in every.items() if random.random() < 0.6}


@pytest.mark.parametrize("seed", range(5))
def test_what_the_preview_says_is_what_the_sweep_does(space: Space, seed: int) -> None:
    random = Random(seed)  # repeatable on purpose
    set_policy(space, capacity=random.choice([5, 40, 800]))
    random_memories(space, random, 60)
    changes = _random_changes(random)
    as_of = NOW + random.choice([0.0, 0.0, 0.4, 3.0, 40.0]) * DAY
    before = statuses(space)

    shown = _preview(space, changes, as_of=as_of)
    assert statuses(space) == before  # it changed nothing
    change_policy(space=space, changes=changes, actor=ALICE, now=NOW)
    swept = sweep(space=space, now=as_of)

    assert shown["counts"]["would_expire"] == swept.expired
    assert shown["counts"]["would_evict"] == swept.evicted
    assert shown["counts"]["would_stay"] == Memory.objects.in_space(space).live().count()
    history = MemoryEvent.objects.in_space(space)
    expired = set(history.filter(action="expired").values_list("content", flat=True))
    evicted = history.filter(action="evicted").order_by("rank")
    assert {content for content, _ in shown["would_expire"]} == expired
    assert [content for content, _ in shown["would_evict"]] == [e.content for e in evicted]
    assert {content for content, _ in shown["would_stay"]} == {
        content for content, status in statuses(space).items() if status == "live"
    }


def test_the_preview_says_what_learning_would_change(space: Space) -> None:
    change_policy(space=space, changes={"capacity": 1, "grace_hours": 0}, actor=ALICE, now=NOW)
    pizza, pasta = (remember(space, "User likes pizza", importance=0.8) for _ in range(2))
    plain = recall(space, SearchRequest("pizza"), now=NOW)
    Memory.objects.filter(pk=plain.memory_ids[-1]).update(confirmations=3)
    Memory.objects.filter(pk=plain.memory_ids[0]).update(objections=3)

    off = preview_policy(space=space, changes={}, queries=["pizza"], now=NOW)
    learn = {"importance": {"learn": True}}
    on = preview_policy(space=space, changes=learn, queries=["pizza"], now=NOW)

    assert len({pizza.pk, pasta.pk}) == 2
    [gone] = on.would_evict
    assert gone.pk == plain.memory_ids[0]
    assert len(off.would_evict) == 1
    [ranking] = on.rankings
    assert [hit.id for hit in ranking.before] == plain.memory_ids
    assert [hit.id for hit in ranking.after] == plain.memory_ids[1:]  # without the removed one


def test_the_preview_says_why_each_stays_or_goes(space: Space) -> None:
    insert(space, 1, importance=0.1, pinned=True)
    insert(space, 2, importance=0.2, restored_at=NOW)
    insert(space, 3, importance=0.3, created_at=NOW)
    insert(space, 4, importance=0.4, clock_started_at=NOW - 8 * DAY)
    insert(space, 5, importance=0.5)
    insert(space, 6, importance=0.6)
    insert(space, 7, importance=0.7)

    shown = _preview(space, {"capacity": 5})

    assert shown["would_expire"] == [("memory 4", "expired")]
    assert shown["would_evict"] == [("memory 5", "over_capacity")]
    assert sorted(shown["would_stay"]) == [
        ("memory 1", "pinned"),
        ("memory 2", "taken_back"),
        ("memory 3", "young"),
        ("memory 6", "alive"),
        ("memory 7", "permanent"),
    ]
    assert shown["counts"] == {"would_expire": 1, "would_evict": 1, "would_stay": 5}


def test_lists_are_cut_and_counts_are_not(space: Space) -> None:
    for number in range(MAX_LISTED + 5):
        insert(space, number, importance=0.1)

    shown = _preview(space, {"ttl": {"very_low_days": 0}})

    assert len(shown["would_expire"]) == MAX_LISTED
    assert shown["counts"] == {"would_expire": MAX_LISTED + 5, "would_evict": 0, "would_stay": 0}


def test_questions_are_ranked_before_and_after(space: Space) -> None:
    """ "After" is what a search finds once the change and a sweep have happened."""
    for content, importance in [
        ("User likes pizza", 0.1),
        ("User ate pizza with anchovies", 0.8),
        ("User bought a pizza oven", 0.75),
        ("User plays the cello", 0.9),
    ]:
        remember(space, content, importance=importance, created_at=NOW - 2 * DAY)
    changes = {"ttl": {"very_low_days": 0}, "recall": {"profile": "combined", "limit": 2}}

    [ranking] = _preview(space, changes, "pizza")["rankings"]

    assert ranking.query == "pizza"
    assert [hit.content for hit in ranking.before] == _found(space)
    change_policy(space=space, changes=changes, actor=ALICE, now=NOW)
    sweep(space=space, now=NOW)
    assert [hit.content for hit in ranking.after] == _found(space)
    assert [hit.rank for hit in ranking.after] == [1, 2]
    assert "User likes pizza" in [hit.content for hit in ranking.before]
    assert "User likes pizza" not in [hit.content for hit in ranking.after]


def _found(space: Space) -> list[str]:
    return [
        result.memory.content for result in recall(space, SearchRequest("pizza"), now=NOW).results
    ]


def test_the_answer_of_the_api_is_json_of_the_contract(space: Space, key: MakeKey) -> None:
    now = timezone.now()
    memory = remember(space, "User had soup", importance=0.1, now=now)
    reader = ApiClient(key(scopes=["read"]))

    answer = reader.post(
        "policy/preview",
        {
            "changes": {"capacity": 5},
            "queries": ["soup"],
            "as_of": (now + timedelta(days=4)).isoformat(),
        },
    )

    body = answer.json()
    assert answer.status_code == 200
    lists = {"would_expire", "would_evict", "would_stay", "standing", "rankings"}
    assert set(body) == lists | {"counts"}
    assert body["standing"] == []
    [fate] = body["would_expire"]
    assert 0.08 < fate.pop("current_importance") < 0.1
    ends = datetime.fromisoformat(fate.pop("expires_at"))
    assert abs(ends - (now + 3 * DAY)) < timedelta(milliseconds=1)  # as JSON has it
    assert fate == {
        "id": str(memory.pk),
        "short_id": memory.short_id,
        "content": "User had soup",
        "importance": 0.1,
        "rank": None,
        "why": "expired",
    }
    [ranking] = body["rankings"]
    assert [hit["content"] for hit in ranking["before"]] == ["User had soup"]
    assert ranking["after"] == []
    assert current_policy(space).version == 1


def test_no_sweep_comes_in_the_past(space: Space, key: MakeKey) -> None:
    remember(space, "User had soup", now=timezone.now())
    reader = ApiClient(key(scopes=["read"]))

    answer = reader.post(
        "policy/preview", {"as_of": "0001-01-01T00:00:00Z", "changes": {"ttl": {"low_days": 0}}}
    )

    assert answer.status_code == 200
    assert answer.json()["counts"] == {"would_expire": 1, "would_evict": 0, "would_stay": 0}


@pytest.mark.parametrize(
    "body",
    [
        {"changes": {"capacity": "many"}},
        {"changes": 5},
        {"as_of": "tomorrow"},
        {"as_of": "0000-01-01T00:00:00Z"},
        {"queries": [""]},
        {"queries": ["soup"] * 21},
    ],
)
def test_a_preview_that_makes_no_sense_is_refused(
    space: Space, key: MakeKey, body: dict[str, Any]
) -> None:
    answer = ApiClient(key()).post("policy/preview", body)

    assert (answer.status_code, answer.json()["code"]) == (422, "memory_invalid_arguments")
