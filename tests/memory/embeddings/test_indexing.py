"""Vectors enter the approximate index when their space has become large."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from accounts.models import Embedder, Space
from memory.embeddings import indexing
from memory.models import MemoryEmbedding
from tests.locks import somebody_waits
from tests.memory.embeddings.moving import begin, target, vectors_by, work
from tests.memory.writing import remember
from tests.processes import queue, wait_until
from tests.stub_model import StubModel

__all__ = ["queue", "target"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the fourth memory on, a space is large."""
    monkeypatch.setattr(indexing, "INDEXED_ABOVE", 3)


def indexed(space: Space) -> list[bool]:
    """The marks of the space's vectors, in the order of writing, and at the end its own."""
    marks = MemoryEmbedding.objects.in_space(space).order_by("pk")
    space.refresh_from_db(fields=["vectors_indexed"])
    return [*marks.values_list("in_index", flat=True), space.vectors_indexed]


def test_the_write_that_makes_a_space_large_marks_all_its_vectors(
    space: Space, other_space: Space
) -> None:
    remember(other_space, "User lives in Braga")
    for place in ("Aveiro", "Faro", "Porto"):
        remember(space, f"User has lived in {place}")
    assert indexed(space) == [False, False, False, False]

    remember(space, "User lives in Lisbon")
    assert indexed(space) == [True] * 5

    remember(space, "User speaks Portuguese")
    assert indexed(space) == [True] * 6
    assert indexed(other_space) == [False, False]


def test_nothing_is_marked_when_the_write_is_rolled_back(space: Space) -> None:
    for place in ("Aveiro", "Faro", "Porto"):
        remember(space, f"User has lived in {place}")

    with transaction.atomic():
        remember(space, "User lives in Lisbon")
        transaction.set_rollback(True)

    assert indexed(space) == [False] * 4


def test_what_is_written_meanwhile_is_marked_too(space: Space) -> None:
    for place in ("Aveiro", "Faro", "Porto"):
        remember(space, f"User has lived in {place}")

    def make_large() -> None:
        try:
            remember(space, "User lives in Lisbon")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            remember(space, "User speaks Portuguese")
            made = other.submit(make_large)
            wait_until(somebody_waits, what="the one that marks")
        made.result(30)

    assert indexed(space) == [True] * 6


def test_vectors_by_the_next_model_of_a_large_space_are_marked(
    space: Space, target: Embedder, remote_models: StubModel, queue: str
) -> None:
    for place in ("Aveiro", "Faro", "Porto", "Lisbon"):
        remember(space, f"User has lived in {place}")

    work(begin(space, target))

    assert indexed(space) == [True] * 9
    assert vectors_by(space, target) == 4
