"""In a large space only likely candidates are ranked: nearly the same answer, from any of them.

The threshold is lowered for these tests; the same at full size is benchmarks/recall.py.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt
import pytest
from django.db import connection
from django.db.models import Q

from accounts.models import Space
from foundation.readers import Reader
from memory.drafts import MemoryDraft
from memory.formulas.ranking import PROFILES, Profile
from memory.models import Memory
from memory.models.policies import current_policy
from memory.recall.similar import nearest_live, similar, vector_of
from memory.recall.sql import Question, recalled
from memory.recall.sql.statement import statement
from memory.store.services import Prepared, store_memories
from memory.text.passages import passages
from tests.memory.recall.large_spaces import COUNT, EXACTLY, MODES, agreement, asked, meaning, shape
from tests.memory.writing import ALICE, NOW

TRIED = Profile(name="tried", recency=2.0, source="weights of one's own: meaning weighs nothing")


@MODES
def test_likely_candidates_hold_the_answer(
    large_space: Space, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    profiles = [profile for profile in PROFILES.values() if not profile.candidates]
    for profile in (*profiles, TRIED):
        ranked, found = replace(shape(), profile=profile), []
        for question in asked(large_space):
            exact = recalled(question, ranked, large=EXACTLY)
            likely = recalled(question, ranked, large=1)
            assert len(likely) == 10
            found.append(agreement(likely, exact))
        assert np.mean(found) >= 0.98, profile.name


@MODES
def test_the_fiftieth_call_answers_like_the_first(
    large_space: Space, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By then PostgreSQL may have changed to a plan that it made for any question."""
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    questions = asked(large_space)
    first = [recalled(question, shape(), large=1) for question in questions]

    for _ in range(12):
        for question, before in zip(questions, first, strict=True):
            assert len(before) == 10
            now = recalled(question, shape(), large=1)
            assert [memory.pk for memory in now] == [memory.pk for memory in before]


@MODES
def test_signals_are_those_of_the_exact_answer(
    large_space: Space, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the words' rarity, which is estimated from a sample."""
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    for question in asked(large_space):
        exact = {one.pk: vars(one) for one in recalled(question, shape(limit=2000), large=EXACTLY)}
        for one in map(vars, recalled(question, shape(), large=1)):
            same = exact[one["id"]]
            for name in ("semantic", "recency", "importance", "speaker"):
                signal = f"signal_{name}"
                assert one[signal] == pytest.approx(same[signal], abs=1e-9), name
            assert one["signal_lexical"] == pytest.approx(same["signal_lexical"], abs=0.05)


def test_what_is_left_out_could_not_have_come_among_the_first(large_space: Space) -> None:
    """A small space is ranked exactly, though time and importance of most are never looked at."""
    for name in (name for name, profile in PROFILES.items() if not profile.candidates):
        for question in asked(large_space):
            first = recalled(question, shape(name), large=EXACTLY)
            every = recalled(question, shape(name, limit=COUNT), large=EXACTLY)

            assert len(every) == COUNT
            assert [one.pk for one in first] == [one.pk for one in every[:10]], name
            scores = [vars(one)["score"] for one in first]
            assert scores == pytest.approx([vars(one)["score"] for one in every[:10]], abs=1e-9)


@MODES
def test_among_many_new_memories_those_that_recency_lifts_are_found(
    large_space: Space, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    monkeypatch.setattr("memory.recall.sql.candidates.ARRIVED", 40)
    statement.cache_clear()
    asked = meaning("pizza")
    year_old = [(f"Old note {number:03}", 0.8, NOW - timedelta(days=400)) for number in range(150)]
    new = [(f"New note {number:03}", 0.1, NOW) for number in range(30)]
    lifted = [("Now note 000", 0.78, NOW - timedelta(hours=1))]
    _store(large_space, [*year_old, *lifted, *new], asked)

    found = recalled(Question(large_space, "Anything?", asked, NOW), shape(), large=1)

    statement.cache_clear()
    assert found[0].content == "Now note 000"
    assert {memory.content[:3] for memory in found[1:]} == {"Old"}


def _store(
    space: Space, notes: Sequence[tuple[str, float, datetime]], asked: npt.NDArray[np.float32]
) -> None:
    """Save notes, each with its similarity to the question and its date."""
    drafts = [
        MemoryDraft(content=text, memory_type="fact", importance=0.5, created_at=created)
        for text, _similarity, created in notes
    ]
    vectors = np.array([_at(similarity, asked, meaning(text)) for text, similarity, _ in notes])
    made = {space.embedder_id: vectors[:, None]}
    prepared = Prepared(space, drafts, passages(drafts, NOW), made, current_policy(space))
    store_memories(prepared=prepared, actor=ALICE, now=NOW)


def _at(
    similarity: float, asked: npt.NDArray[np.float32], other: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """A unit vector with this similarity to `asked`."""
    across = other - (other @ asked) * asked
    unit: npt.NDArray[np.float32] = across / np.linalg.norm(across)
    return np.float32(similarity) * asked + np.float32(np.sqrt(1 - similarity**2)) * unit


def test_a_rare_word_finds_what_is_far_from_the_question(large_space: Space) -> None:
    [wanted] = Memory.objects.filter(space=large_space, content__endswith=" word77")
    question = Question(large_space, "The team and word77?", meaning("nothing of the kind"), NOW)

    found = recalled(question, shape("hybrid"), large=1)

    assert found[0].pk == wanted.pk
    near = recalled(question, shape("relevance", limit=50), large=1)
    assert wanted.pk not in {memory.pk for memory in near}


@MODES
def test_what_is_in_the_bin_takes_no_place(
    large_space: Space, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    question = asked(large_space)[0]
    nearest = recalled(question, shape("relevance", limit=400), large=EXACTLY)
    gone = Memory.objects.filter(space=large_space, pk__in=[memory.pk for memory in nearest])
    gone.update(status="binned", binned_at=NOW)

    found = recalled(question, shape("relevance"), large=1)

    exact = recalled(question, shape("relevance"), large=EXACTLY)
    assert agreement(found, exact) == 1.0


@MODES
def test_filters_leave_all_that_fit(
    large_space: Space, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    question = asked(large_space)[0]
    only = Memory.objects.filter(space=large_space, status="live").order_by("created_at")[:4]
    for memory in only:
        memory.tags = ["seldom"]
        memory.save()

    found = recalled(question, shape(tags=("seldom",)), large=1)
    typed = recalled(question, shape(memory_types=("goal", "fact")), large=1)

    assert {memory.pk for memory in found} == {memory.pk for memory in only}
    exact = recalled(question, shape(memory_types=("goal", "fact")), large=EXACTLY)
    assert {memory.memory_type for memory in typed} <= {"goal", "fact"}
    assert agreement(typed, exact) >= 0.9


@MODES
def test_a_condition_on_any_column_comes_before_the_candidates(
    large_space: Space, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory that fits best by its words is found, however far it is in meaning."""
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    plain = asked(large_space)[0]
    far = [memory.pk for memory in recalled(plain, shape(limit=COUNT), large=EXACTLY)[-30:]]
    Memory.objects.filter(space=large_space, pk__in=far).update(metadata={"topic": "house"})
    conditions = [
        Q(metadata__contains={"topic": "house"}),
        Q(pk=far[-1]),
        Q(current_importance__gte=0.5),
        Q(pk__in=[]),
    ]
    for where in conditions:
        ranked = shape(where=where)
        exact = recalled(plain, ranked, large=EXACTLY)
        for large in (1, 200):
            found = recalled(plain, ranked, large=large)
            assert [one.pk for one in found] == [one.pk for one in exact]
    assert len(recalled(plain, shape(where=Q(pk=far[-1])), large=1)) == 1


def test_an_explanation_counts_the_candidates(large_space: Space) -> None:
    found = recalled(asked(large_space)[0], shape(explain=True), large=1)

    assert [vars(memory)["rank"] for memory in found] == list(range(1, 16))
    assert all(vars(memory)["rank_without_semantic"] >= 1 for memory in found)


@MODES
def test_what_is_nearest_to_a_memory_is_found_as_well(
    large_space: Space, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    for memory in Memory.objects.in_space(large_space).order_by("pk")[:5]:
        memory.space = large_space
        exact = [near.similarity for near in similar(memory, large=EXACTLY)]
        likely = [near.similarity for near in similar(memory, large=1)]
        assert likely == pytest.approx(exact, abs=0.02)


@MODES
def test_what_is_near_is_found_behind_what_lies_in_the_bin(
    large_space: Space, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    rows = Memory.objects.in_space(large_space).order_by("pk")
    vector = vector_of(large_space, rows[0].pk)
    nearer = [near.memory.pk for near in nearest_live(large_space, vector, large=1)]
    rows.filter(pk__in=nearer).update(status="binned", binned_at=NOW)

    exact = nearest_live(large_space, vector, large=EXACTLY)
    likely = nearest_live(large_space, vector, large=1)

    assert {near.memory.status for near in likely} == {"live"}
    wanted = pytest.approx([near.similarity for near in exact], abs=0.02)
    assert [near.similarity for near in likely] == wanted


@pytest.fixture
def many_users(large_space: Space) -> Space:
    """The same memories, of 120 users in turn, ten each; one in forty is shared."""
    rows = Memory.objects.in_space(large_space).order_by("content", "pk")
    for number, memory in enumerate(rows.defer("search")):
        memory.user_id = None if number % 40 == 0 else f"user {number % 120}"
        memory.save(update_fields=["user_id"])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_memory, memory_memoryembedding")
    return large_space


@MODES
@pytest.mark.parametrize("profile", ["hybrid", "similar_recent", "date"])
def test_a_user_among_many_gets_the_exact_answer(
    many_users: Space, worth: int, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their memories are few, and the nearest in the index are those of other users."""
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    found = set[str | None]()
    for plain in asked(many_users):
        question = replace(plain, reader=Reader("user 7"))
        exact = recalled(question, shape(profile), large=EXACTLY)
        for large in (1, 30):
            likely = recalled(question, shape(profile), large=large)
            assert {memory.user_id for memory in likely} <= {"user 7", None}
            assert agreement(likely, exact) >= 0.9
        found |= {memory.user_id for memory in exact}
    assert found == {"user 7", None}


@MODES
def test_neighbours_of_a_user_among_many_are_their_own(
    many_users: Space, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    rows = Memory.objects.in_space(many_users)
    for user_id in ("user 7", None):
        one = rows.filter(user_id=user_id).order_by("pk")[0]
        one.space = many_users
        exact = similar(one, large=EXACTLY)
        likely = similar(one, large=1)
        assert {near.memory.user_id for near in likely} == {user_id}
        assert [near.similarity for near in likely] == pytest.approx(
            [near.similarity for near in exact], abs=0.02
        )
