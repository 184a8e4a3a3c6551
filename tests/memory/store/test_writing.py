"""Remembering: what is derived, what is refused, what happens twice or at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import DatabaseError, connection
from pydantic import ValidationError

from accounts.models import Space
from foundation.moments import in_zone, zone_called
from memory.drafts import Facets, MemoryDraft
from memory.models import Memory, MemoryEmbedding, MemoryEvent
from memory.recall.recall import SearchRequest, recall
from memory.store.services import create_memories
from tests.memory.writing import ALICE, NOW, actions, keyed, remember, set_policy

LONGEST = 20_000


@pytest.mark.parametrize(
    ("facets", "importance", "emotion"),
    [
        # seed 003, section 3: 0.60*P + 0.20*J + 0.15*E + 0.05*I
        ({"P": 1.0, "J": 1.0, "I": 1.0, "valence": -1.0, "intensity": 1.0}, 1.0, 1.0),
        ({"P": 0.5, "J": 0.6, "I": 0.4, "valence": 0.2, "intensity": 0.2}, 0.455, 0.1),
        ({"P": 0.5, "J": 0.6, "I": 0.4, "valence": -0.2, "intensity": 0.2}, 0.47, 0.2),
        ({"P": 0.1}, 0.06, 0.0),
        ({"P": 0.1, "E": 1.0, "valence": 0.5, "intensity": 0.1}, 0.21, 1.0),
    ],
)
def test_facets_only_give_importance_by_the_formula(
    space: Space, facets: dict[str, float], importance: float, emotion: float
) -> None:
    memory = remember(space, "User has asthma", facets=Facets(**facets), memory_type="goal")

    assert memory.importance == pytest.approx(importance, abs=1e-12)
    assert memory.facets is not None
    assert memory.facets["E"] == pytest.approx(emotion)
    assert memory.core is (facets["P"] == 1.0)


def test_importance_given_beside_facets_wins(space: Space) -> None:
    memory = remember(space, "User has asthma", facets=Facets(P=1.0), importance=0.2)

    assert (memory.importance, memory.core) == (0.2, True)


@pytest.mark.parametrize("days", [0, 31, 4000])
@pytest.mark.parametrize("always", [{"facets": Facets(P=1.0)}, {"pinned": True}])
def test_core_and_pinned_memories_do_not_fade(
    space: Space, days: int, always: dict[str, Any]
) -> None:
    """ "P=1（核心记忆）不受时间系数影响" (seed 003, section 1)."""
    memory = remember(space, "User has asthma", **always)
    policy = set_policy(space)

    then = Memory.objects.in_space(space).with_importance_now(
        decay=policy.decay, now=NOW + timedelta(days=days)
    )

    assert then.get(pk=memory.pk).time_coef == 1.0  # type: ignore[attr-defined]  # annotated


@pytest.mark.parametrize(
    ("importance", "days"),
    [(1.0, None), (0.7, None), (0.69, 30), (0.5, 30), (0.49, 7), (0.3, 7), (0.29, 3), (0.0, 3)],
)
def test_lifetime_follows_importance_from_when_ebb_learned_of_it(
    space: Space, importance: float, days: int | None
) -> None:
    """seed 001, `calculate_ttl`; something said a year ago starts to live now."""
    memory = remember(
        space, "User likes pizza", importance=importance, created_at=NOW - timedelta(days=365)
    )

    assert memory.created_at == NOW - timedelta(days=365)
    assert memory.expires_at == (None if days is None else NOW + timedelta(days=days))


@pytest.mark.parametrize(
    "text",
    [
        "🍕" * LONGEST,
        "א" * LONGEST,
        "比萨饼真好吃" * (LONGEST // 6),
        "𠮷" * LONGEST,
        "a" * LONGEST,
        "x y " * (LONGEST // 4 - 1) + "zzzz",
        "''\\\"% _ & | ! <-> :* \t\n \u202e",
    ],
    ids=["emoji", "hebrew", "chinese", "beyond the plane", "one word", "many words", "syntax"],
)
def test_any_text_up_to_the_limit_is_kept_and_found(space: Space, text: str) -> None:
    memory = remember(space, text)

    assert memory.content == text.strip()
    found = recall(space, SearchRequest(text), now=NOW)
    assert found.memory_ids == [memory.pk]
    assert 0.99 < found.results[0].similarity <= 1.0


@pytest.mark.parametrize("name", ["content", "memory_type", "tags", "topics", "source", "facets"])
@pytest.mark.parametrize("text", ["NUL \x00", "half \ud83c", "a" * (LONGEST + 1), "", " \n"])
def test_text_that_cannot_be_kept_is_refused(name: str, text: str) -> None:
    value = {"tags": [text], "topics": [text], "source": {"speaker": text}}.get(name, text)
    if name == "source" and not text.strip():
        value = {"speakers": text}

    with pytest.raises(ValidationError):
        MemoryDraft.model_validate({"content": "fine"} | {name: value})


@pytest.mark.parametrize(
    "moment",
    ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "yesterday"],
)
def test_moment_outside_the_calendar_is_refused(moment: str) -> None:
    with pytest.raises(ValidationError, match="created_at"):
        MemoryDraft.model_validate({"content": "fine", "created_at": moment})


def test_moment_without_a_zone_is_in_that_of_now() -> None:
    draft = MemoryDraft.model_validate({"content": "fine", "created_at": "2026-02-18T12:00:00"})
    now = in_zone(NOW, zone_called("Asia/Shanghai"))

    assert draft.starts_at(now) == datetime(2026, 2, 18, 4, tzinfo=UTC)


def test_tags_are_lowercase_and_history_stands_beside_the_memory(space: Space) -> None:
    memory = remember(space, "  User likes pizza ", tags=["Food "], topics=["Food"])

    assert (memory.content, memory.tags, memory.topics) == ("User likes pizza", ["food"], ["Food"])
    event = MemoryEvent.objects.get(space_id=space.pk, memory_id=memory.pk)
    assert (event.action, event.actor_type, event.actor_name) == ("created", "user", "alice")
    assert (event.content, event.importance, event.current_importance) == (
        "User likes pizza", 0.3, 0.3,
    )  # fmt: skip
    assert (event.at, event.policy_version) == (NOW, 1)


def test_history_cannot_be_changed(space: Space) -> None:
    event = MemoryEvent.objects.get(memory_id=remember(space, "User likes pizza").pk)
    event.content = "something else"

    with pytest.raises(TypeError, match="append-only"):
        event.save()
    with pytest.raises(TypeError, match="append-only"):
        MemoryEvent.objects.update(content="something else")


def test_same_idempotency_key_gives_the_first_memory_within_its_space_only(
    space: Space, other_space: Space
) -> None:
    first, again = keyed(space, "one", "k"), keyed(space, "two", "k")
    elsewhere = keyed(other_space, "one", "k")

    assert again.pk == first.pk != elsewhere.pk
    assert again.content == "one"
    assert actions(first) == ["created"]


@pytest.mark.django_db(transaction=True)
def test_same_idempotency_key_at_once_gives_one_memory(space: Space) -> None:
    remember(space, "warm up")  # loads the model outside the race
    together = Barrier(4)

    def write(number: int) -> Memory:
        together.wait(timeout=30)
        try:
            return keyed(space, f"number {number}", "k")
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        written = list(pool.map(write, range(4)))

    assert len({memory.pk for memory in written}) == 1
    assert Memory.objects.in_space(space).exclude(content="warm up").count() == 1
    assert actions(written[0]) == ["created"]


def test_many_memories_keep_their_order_and_have_vectors_of_their_own(space: Space) -> None:
    drafts = [MemoryDraft(content=f"User owns {n} cats") for n in range(30)]

    memories = create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)

    assert [memory.content for memory in memories] == [draft.content for draft in drafts]
    assert MemoryEmbedding.objects.in_space(space).count() == 30
    assert MemoryEvent.objects.filter(action="created").count() == 30
    assert len({memory.short_id for memory in memories}) == 30
    found = recall(space, SearchRequest("User owns 17 cats", profile="relevance", limit=1), now=NOW)
    assert found.results[0].memory.content == "User owns 17 cats"


@pytest.mark.django_db(transaction=True)
def test_many_memories_are_written_all_or_none(space: Space) -> None:
    """A draft that passes every check and fails in the database takes the others with it."""
    drafts = [MemoryDraft(content="fine"), MemoryDraft.model_construct(content="x", importance=2.0)]

    with pytest.raises(DatabaseError, match="memory_importance_0_1"):
        create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)

    assert not Memory.objects.exists()
    assert not MemoryEvent.objects.exists()
    assert not MemoryEmbedding.objects.exists()


def test_who_spoke_and_when_serve_to_find_it_again(space: Space) -> None:
    said = datetime(2023, 5, 7, 9, 0, tzinfo=UTC)
    for speaker in ("Caroline", "Melanie"):
        source = {"speaker": speaker, "conversation_id": "c1"}
        remember(space, "I went to the lake", source=source, created_at=said)

    found = recall(space, SearchRequest("Where did Melanie go in May 2023?", limit=1), now=NOW)

    assert found.results[0].memory.source_speaker == "Melanie"
    assert found.results[0].memory.content == "I went to the lake"
