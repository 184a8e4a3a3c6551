"""The size of a large space, and the indexes that serve its recall."""

import re

import pytest
from django.contrib.postgres.search import SearchQuery
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Space
from memory.models import Memory
from memory.models.memories import search_in_space
from memory.recall.sql import Question, Shape, recalled
from memory.recall.sql.sizes import size_if_large
from tests.memory.recall.large_spaces import COUNT, asked, meaning, shape
from tests.memory.writing import NOW, remember


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
    assert "Seq Scan on memory_memory" not in found


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
