"""The index of a new model is built beside writes, and again after a build that was stopped."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from accounts.models import Embedder, Space
from memory.embeddings.embedders import register_embedder
from memory.models import MemoryEmbedding
from tests.locks import somebody_waits
from tests.memory.writing import remember
from tests.processes import wait_until
from tests.stub_model import StubModel

pytestmark = pytest.mark.django_db(transaction=True)


def register() -> Embedder:
    try:
        return register_embedder(provider="voyage", model="stub-48")
    finally:
        connection.close()


def index_of(embedder: Embedder) -> tuple[int, bool]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexrelid::int, indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)",
            [f"embedding_hnsw_{embedder.pk}"],
        )
        [(number, valid)] = cursor.fetchall()
    return number, valid


def test_vectors_are_written_during_the_build(space: Space, remote_models: StubModel) -> None:
    def write() -> int:
        try:
            remember(space, "User moved to Faro")
            return MemoryEmbedding.objects.in_space(space).count()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as others:
        with transaction.atomic():
            # The build has begun, and waits for this transaction.
            remember(space, "User lives in Aveiro")
            built = others.submit(register)
            wait_until(somebody_waits, what="the build")
            assert others.submit(write).result(30) == 1
        embedder = built.result(60)

    assert index_of(embedder)[1]
    assert MemoryEmbedding.objects.in_space(space).count() == 2


def test_a_build_that_was_stopped_is_done_again(remote_models: StubModel) -> None:
    stopped, _valid = index_of(register())
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s", [stopped])

    again, valid = index_of(register())

    assert valid
    assert again != stopped
