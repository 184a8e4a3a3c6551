"""Recall is exact: the same order and the same numbers as when each row is computed in Python."""

from datetime import timedelta
from random import Random
from typing import Any, get_args
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Embedder, Space
from foundation.errors import InvalidArguments
from memory.drafts import Facets, MemoryDraft, MemoryTypeName
from memory.embeddings.embedders import register_embedder
from memory.formulas.ranking import PROFILES
from memory.models import Memory, MemoryEmbedding
from memory.recall.recall import Recall, SearchRequest, recall
from memory.store.services import create_memories
from tests.memory.recall.recall_reference import Expected, expected_recall
from tests.memory.writing import ALICE, NOW, remember, set_policy

SUBJECTS = ["User", "Jaz", "The team", "Melanie", "用户", "Grandma"]
VERBS = ["likes", "decided to drop", "is allergic to", "bought", "喜欢", "will call about"]
THINGS = [
    "pizza", "penicillin", "the Q4 budget", "hiking in the Alps", "a red bicycle", "里斯本的猫",
    "learning Portuguese", "jazz records", "long-term memory", "http://example.org/a?b=1&c=2",
]  # fmt: skip
QUESTIONS = [
    "What is the user allergic to?",
    "pizza pizza or jazz",
    "用户喜欢什么猫?",
    "a & b | !c <-> 'd' \\ %",
    "of the and",
]
WEIGHED = [name for name, profile in PROFILES.items() if profile.order == "score"]


def fill(space: Space, count: int, seed: int = 3) -> None:
    """Memories of every type, age, use and importance, the same on every run."""
    random = Random(seed)
    drafts = []
    for number in range(count):
        content = f"{random.choice(SUBJECTS)} {random.choice(VERBS)} {random.choice(THINGS)}"
        kind: MemoryTypeName = random.choice(get_args(MemoryTypeName))
        drafts.append(
            MemoryDraft(
                content=f"{content} ({number})",
                memory_type=kind,
                importance=random.choice([None, random.random()]),
                facets=random.choice([None, None, Facets(P=random.choice([1.0, 0.3]))]),
                tags=random.sample(["work", "food", "home"], random.randrange(4)),
                pinned=random.random() < 0.1,
                created_at=NOW - timedelta(days=random.uniform(-1, 400)),
            )
        )
    memories = create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)
    for memory in memories:
        memory.use_count = random.choice([0, 0, 1, 7, 100])
        if memory.use_count:
            memory.last_active_at = NOW - timedelta(days=random.uniform(0, 90))
        memory.times_used, memory.objections = memory.use_count, memory.use_count % 3
        if random.random() < 0.1:
            memory.status, memory.binned_at = "binned", NOW
    fields = ["use_count", "last_active_at", "times_used", "objections", "status", "binned_at"]
    Memory.objects.bulk_update(memories, fields)


def assert_same(found: Recall, expected: list[Expected]) -> None:
    assert len(found.results) == len(expected) > 0
    for got, wanted in zip(found.results, expected, strict=True):
        assert got.score == pytest.approx(wanted.score, abs=1e-6)
        assert sum(got.contributions.values()) == pytest.approx(got.score, abs=1e-12)
    by_id = {hit.memory.pk: hit for hit in expected}
    for got, in_place in zip(found.results, expected, strict=True):
        if got.memory.pk != in_place.memory.pk:
            # Only scores closer than PostgreSQL's sums and numpy's may stand either way round.
            assert got.score == pytest.approx(in_place.score, abs=1e-9)
        if got.memory.pk in by_id:
            same = by_id[got.memory.pk]
            assert got.signals == pytest.approx(same.signals, abs=1e-6)
            assert got.contributions == pytest.approx(same.contributions, abs=1e-6)


def test_every_profile_gives_the_order_and_numbers_of_the_formulas(space: Space) -> None:
    fill(space, 330)
    policy = set_policy(space, recall={"candidate_limit": 120, "limit": 5})

    for name, profile in PROFILES.items():
        for question in (QUESTIONS[0], QUESTIONS[2]):
            every = expected_recall(space, question, NOW, policy, profile=name, limit=1000)
            for limit in (None, 200):
                found = recall(space, SearchRequest(question, profile=name, limit=limit), now=NOW)
                assert_same(found, every[: limit or profile.limit or 5])


@pytest.mark.parametrize("profile", ["hybrid", "vivid"])
def test_a_policy_that_learns_ranks_by_the_effective_importance(space: Space, profile: str) -> None:
    fill(space, 60)
    policy = set_policy(
        space, importance={"learn": True}, recall={"candidate_limit": 20, "limit": 50}
    )
    for question in QUESTIONS[:2]:
        found = recall(space, SearchRequest(question, profile=profile), now=NOW)
        assert_same(found, expected_recall(space, question, NOW, policy, profile=profile))


def test_of_two_equal_memories_the_one_that_answers_used_comes_first(space: Space) -> None:
    first, second = (remember(space, "User likes pizza") for _ in range(2))

    def order() -> list[UUID]:
        request = SearchRequest("Does the user like pizza?", each_once=False)
        return recall(space, request, now=NOW).memory_ids

    last = order()[-1]
    Memory.objects.filter(pk=last).update(times_used=5)
    assert order()[-1] == last  # learning is off by default
    set_policy(space, importance={"learn": True})
    assert order() == [last, *({first.pk, second.pk} - {last})]


def test_any_question_gives_the_numbers_of_the_formulas(space: Space) -> None:
    fill(space, 40)
    policy = set_policy(
        space,
        decay={"floor": 0.85, "scale_days": 11},
        recall={"recency_scale_days": 5, "limit": 40},
    )

    for question in QUESTIONS:
        found = recall(space, SearchRequest(question, profile="hybrid"), now=NOW)
        assert_same(found, expected_recall(space, question, NOW, policy, profile="hybrid"))


def test_the_fiftieth_call_answers_like_the_first(space: Space) -> None:
    """After some executions a prepared statement may get a generic plan: it must find the same."""
    fill(space, 60)
    policy = set_policy(space, recall={"limit": 10})
    expected = {
        question: expected_recall(space, question, NOW, policy, profile="hybrid")
        for question in QUESTIONS[:2]
    }

    for _ in range(25):
        for question, wanted in expected.items():
            assert_same(recall(space, SearchRequest(question), now=NOW), wanted)


def test_a_connection_keeps_a_plan_for_each_space_unless_a_pooler_is_between(
    space: Space, other_space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pooler may pass each transaction to another connection, which knows no prepared plan."""
    remember(space, "User likes pizza")
    remember(other_space, "User likes pizza")

    for _ in range(7):
        recall(space, SearchRequest("pizza"), now=NOW)
        recall(other_space, SearchRequest("pizza"), now=NOW)
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    for _ in range(7):
        recall(space, SearchRequest("pizza", profile="relevance"), now=NOW)

    with connection.cursor() as cursor:
        cursor.execute("SELECT statement, custom_plans FROM pg_prepared_statements")
        kept = [plans for text, plans in cursor.fetchall() if "ranked" in text]
    assert kept == [0, 0]  # not planned again for each question


def test_filters_come_before_the_ranking(space: Space) -> None:
    fill(space, 120)
    policy = set_policy(space, recall={"candidate_limit": 10})
    cases: list[dict[str, Any]] = [
        {"memory_types": ["goal"]},
        {"memory_types": ["goal", "fact"], "limit": 50},
        {"tags": ["work"]},
        {"tags": ["work", "food"], "memory_types": ["todo", "event", "identity"], "limit": 7},
        {"limit": 1},
    ]

    for asked in cases:
        for profile in ("hybrid", "vivid", "date"):
            found = recall(space, SearchRequest(QUESTIONS[0], profile=profile, **asked), now=NOW)
            assert_same(
                found, expected_recall(space, QUESTIONS[0], NOW, policy, profile=profile, **asked)
            )


def test_recall_asks_for_the_policy_and_then_ranks_once(space: Space) -> None:
    fill(space, 20)
    asked = Space.objects.select_related("embedder").get(pk=space.pk)

    for name in PROFILES:
        with CaptureQueriesContext(connection) as queries:
            recall(asked, SearchRequest("pizza", profile=name), now=NOW)
        statements = [query["sql"] for query in queries]
        assert "policyversion" in statements[0]
        assert ["ranked" in sql for sql in statements[1:]].count(True) == 1
        assert "ranked" in statements[-1]
        assert len(statements) <= 3  # at most one more, that asks whether the space is large


def test_date_is_newest_first_and_weighs_nothing(space: Space) -> None:
    fill(space, 30)
    set_policy(space, recall={"min_score": 0.5})

    found = recall(space, SearchRequest("pizza", profile="date", limit=200), now=NOW)

    moments = [result.memory.created_at for result in found.results]
    assert moments == sorted(moments, reverse=True)
    assert len(moments) == Memory.objects.filter(status="live").count() > 20
    assert {(result.score, len(result.contributions)) for result in found.results} == {(0.0, 0)}


def test_vivid_ranks_only_the_most_important_and_gives_three(space: Space) -> None:
    """ "用于候选筛选（取前 300）" and "topK=3" (seed 003, sections 5 and 1.5)."""
    for number in range(5):
        remember(space, f"User owns a boat ({number})", importance=0.9)
    remember(space, "User likes pizza", importance=0.1)
    set_policy(space, recall={"candidate_limit": 5, "limit": 50})

    found = recall(space, SearchRequest("pizza", profile="vivid"), now=NOW)

    assert [result.memory.importance for result in found.results] == [0.9] * 3
    assert PROFILES["vivid"].candidates == "importance"


def test_min_score_leaves_out_what_is_below_it(space: Space) -> None:
    fill(space, 60)
    everything = recall(space, SearchRequest("pizza", limit=200), now=NOW)
    bar = everything.results[9].score - 1e-9
    set_policy(space, recall={"min_score": bar})

    found = recall(space, SearchRequest("pizza", limit=200), now=NOW)

    assert found.memory_ids == everything.memory_ids[:10]


def test_chinese_questions_find_chinese_memories_by_their_words(space: Space) -> None:
    wanted = remember(space, "用户三月搬到了里斯本")
    remember(space, "用户对青霉素过敏")
    remember(space, "用户喜欢吃比萨饼")

    found = recall(space, SearchRequest("我什么时候搬到里斯本的?", limit=3), now=NOW)

    assert found.results[0].memory.pk == wanted.pk
    assert [result.signals["lexical"] > 0.0 for result in found.results] == [True, False, False]


@pytest.mark.long
def test_small_space_beside_a_huge_one_gets_all_its_results(
    space: Space, other_space: Space
) -> None:
    fill(space, 12)
    _crowd(other_space, 5000, near="pizza")
    policy = set_policy(space, recall={"limit": 10})
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_memory, memory_memoryembedding")

    for profile in WEIGHED:
        for _ in range(3):
            found = recall(space, SearchRequest("pizza", profile=profile, limit=10), now=NOW)
            assert_same(
                found, expected_recall(space, "pizza", NOW, policy, profile=profile, limit=10)
            )
            assert len(found.results) == 10
            assert {result.memory.space_id for result in found.results} == {space.pk}


def _crowd(space: Space, count: int, near: str) -> None:
    """Rows that all fit the question better than anything of another space, inserted cheaply: the
    index of vectors is built after them."""
    first = remember(space, near)
    rows = [
        Memory(
            space=space,
            short_id=f"{number:08x}",
            content=f"{near} {number}",
            memory_type="fact",
            importance=0.9,
            created_at=NOW,
            search="'pizza':1",
        )
        for number in range(count)
    ]
    Memory.objects.bulk_create(rows, batch_size=1000)
    with connection.cursor() as cursor:
        # The index can go and come within the transaction when no foreign key waits to be checked.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"DROP INDEX embedding_hnsw_{space.embedder_id}")
        cursor.execute(
            "INSERT INTO memory_memoryembedding (space_id, memory_id, embedder_id, vector)"
            " SELECT m.space_id, m.id, e.embedder_id, e.vector"
            " FROM memory_memory m JOIN memory_memoryembedding e"
            " ON e.space_id = m.space_id AND e.memory_id = %s"
            " WHERE m.space_id = %s AND m.id <> %s",
            [first.pk, space.pk, first.pk],
        )
    register_embedder(provider="local", model="all-MiniLM-L6-v2", dimensions=384)


def test_vectors_of_another_model_beside_the_first_change_nothing(space: Space) -> None:
    fill(space, 20)
    before = recall(space, SearchRequest("pizza", limit=20), now=NOW)
    other = Embedder.objects.create(provider="elsewhere", model="tiny", dimensions=3)
    MemoryEmbedding.objects.bulk_create(
        MemoryEmbedding(space=space, memory=memory, embedder=other, vector=[1.0, 0.0, 0.0])
        for memory in Memory.objects.filter(space=space)
    )

    after = recall(space, SearchRequest("pizza", limit=20), now=NOW)

    assert after.memory_ids == before.memory_ids
    assert [result.score for result in after.results] == [r.score for r in before.results]


def test_empty_space_and_unknown_profile(space: Space) -> None:
    assert recall(space, SearchRequest("pizza"), now=NOW).results == []
    with pytest.raises(InvalidArguments, match="unknown profile"):
        recall(space, SearchRequest("pizza", profile="best"), now=NOW)


def test_similarity_is_shown_as_the_seed_shows_it(space: Space) -> None:
    """ "- [2026-02-18] User likes pizza (92% match, id: abc123)" (seed 000)."""
    remember(space, "User likes pizza")

    same = recall(space, SearchRequest("User likes pizza"), now=NOW).results[0]
    other = recall(space, SearchRequest("What food does the user enjoy?"), now=NOW).results[0]

    assert same.match == "100% match"
    assert other.match == f"{round(other.similarity * 100)}% match"
    assert 30 < other.similarity * 100 < 95
