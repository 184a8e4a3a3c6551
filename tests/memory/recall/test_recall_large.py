"""In a large space only likely candidates are ranked: nearly the same answer, from any of them.

The threshold is lowered for these tests; the same at full size is benchmarks/recall.py.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from random import Random
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from django.contrib.postgres.search import SearchQuery
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoCaptureOnCommitCallbacks

from memory.drafts import MemoryDraft, MemoryTypeName
from memory.formulas.ranking import PROFILES, Profile
from memory.models import Memory, Space
from memory.models.memories import search_in_space
from memory.models.policies import current_policy
from memory.policy import PolicyDocument
from memory.readers import Reader
from memory.recall.similar import nearest_live, similar, vector_of
from memory.recall.sql import Question, Shape, recalled
from memory.recall.sql.sizes import size_if_large
from memory.recall.sql.statement import statement
from memory.store.services import Prepared, store_memories
from memory.text.passages import passages
from tests.memory.recall.test_recall import SUBJECTS, THINGS, VERBS
from tests.memory.writing import ALICE, NOW, remember

COUNT, EXACTLY = 1200, 10**9
ASKED = [("Jaz", "pizza"), ("Melanie", "hiking"), ("Grandma", "jazz"), ("User", "penicillin")]
TRIED = Profile(name="tried", recency=2.0, source="weights of one's own: meaning weighs nothing")
MODES = pytest.mark.parametrize("worth", [0, EXACTLY], ids=["by index", "by scan"])


def meaning(text: str) -> npt.NDArray[np.float32]:
    """A vector of the test's own, near those of texts that share words: no model is needed."""
    words = text.lower().split()
    total = np.sum([_of_word(word) for word in words], axis=0)
    unit: npt.NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


@cache
def _of_word(word: str) -> npt.NDArray[np.float64]:
    return np.random.default_rng(list(word.encode())).standard_normal(384)


@pytest.fixture
def large_space(
    space: Space,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> Space:
    """Memories of every type, age and importance, with one word of their own each."""
    random = Random(8)  # repeatable on purpose
    drafts = [
        MemoryDraft(
            content=f"{random.choice(SUBJECTS)} {random.choice(VERBS)} {random.choice(THINGS)}"
            f" {random.choice(SUBJECTS)} {random.choice(THINGS)} word{number}",
            memory_type=random.choice(get_args(MemoryTypeName)),
            importance=random.random(),
            created_at=NOW - timedelta(days=random.uniform(0, 400)),
        )
        for number in range(COUNT)
    ]
    vectors = {space.embedder_id: np.array([meaning(draft.content) for draft in drafts])}
    prepared = Prepared(space, drafts, passages(drafts, NOW), vectors, current_policy(space))
    monkeypatch.setattr("memory.embeddings.indexing.INDEXED_ABOVE", COUNT - 1)
    with django_capture_on_commit_callbacks(execute=True):
        store_memories(prepared=prepared, actor=ALICE, now=NOW)
    space.refresh_from_db(fields=["vectors_indexed"])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_memory, memory_memoryembedding")
    return space


def shape(profile: str = "hybrid", **changes: object) -> Shape:
    rules = PolicyDocument()
    plain = Shape(PROFILES[profile], rules.decay, rules.recall, rules.language, limit=10)
    return replace(plain, **changes)  # type: ignore[arg-type]  # mypy cannot check names in a dict


def asked(space: Space) -> list[Question]:
    texts = [f"What about {who} and {what}?" for who, what in ASKED]
    return [
        Question(space, text, meaning(f"{who} {what}"), NOW)
        for text, (who, what) in zip(texts, ASKED, strict=True)
    ]


def agreement(likely: Sequence[Memory], exact: Sequence[Memory]) -> float:
    """The share of the exact answer that was found, where ties count as found."""
    least = exact[-1].score - 1e-3  # type: ignore[attr-defined]  # annotated by recall
    ids = {memory.pk for memory in exact}
    good = [one for one in likely if one.pk in ids or one.score >= least]  # type: ignore[attr-defined]  # the same
    return len(good) / len(exact)


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
    made = {space.embedder_id: vectors}
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


def test_an_explanation_counts_the_candidates(large_space: Space) -> None:
    found = recalled(asked(large_space)[0], shape(explain=True), large=1)

    assert [vars(memory)["rank"] for memory in found] == list(range(1, 16))
    assert all(vars(memory)["rank_without_semantic"] >= 1 for memory in found)


def test_the_size_is_estimated_from_the_first_ids(large_space: Space, other_space: Space) -> None:
    remember(other_space, "User likes pizza")

    size = size_if_large(large_space, large=1)

    assert size is not None
    assert size.vectors == pytest.approx(COUNT, rel=0.2)
    assert size_if_large(large_space) is None
    assert size_if_large(other_space, large=1) is None


def plan(question: Question, asked_for: Shape, large: int) -> str:
    """The plan that PostgreSQL keeps for the statement that ranks for this question."""
    with CaptureQueriesContext(connection) as queries:
        recalled(question, asked_for, large=large)
    [ranking] = [query["sql"] for query in queries if "ranked" in query["sql"]]
    for number, name in enumerate(sorted(set(re.findall(r"%\(\w+\)s", ranking))), start=1):
        ranking = ranking.replace(name, f"${number}")
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (GENERIC_PLAN) " + ranking)
        return "\n".join(line for (line,) in cursor.fetchall())


def test_a_small_space_beside_a_large_one_is_read_by_its_indexes(
    large_space: Space, other_space: Space
) -> None:
    remember(other_space, "User likes pizza")

    found = plan(Question(other_space, "pizza", meaning("pizza"), NOW), shape(), COUNT)

    assert "Index" in found
    assert "Seq Scan on memory_" not in found


def test_the_nearest_come_from_the_index_of_the_embedder(
    large_space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index can serve this statement, even if the planner prefers to read a small table."""
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", 0)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_sort = off")

    found = plan(asked(large_space)[0], shape(), 1)

    assert f"Index Scan using embedding_hnsw_{large_space.embedder_id}" in found


def test_the_index_of_words_serves_the_expression_that_recall_asks_for(large_space: Space) -> None:
    of_space = SearchQuery(f"'@{large_space.pk}' & pizza", search_type="raw", config="simple")
    rows = Memory.objects.annotate(words=search_in_space()).filter(words=of_space)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")

    assert "memory_search_in_space" in rows.order_by().explain()


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
