"""Rows of embedding models, each with its own vector index."""

from uuid import UUID

from django.db import connection as database

from accounts.models import Embedder
from foundation.errors import NotFound
from memory.embeddings import EmbeddingError, count_dimensions, get_embedder, try_out
from memory.model_connections.embedding import model_of_new_spaces, provider_of
from memory.model_connections.fields import checked_model
from memory.model_connections.services import Change, choose_model
from memory.models import ModelChoice, ModelConnection, Purpose

MAX_DIMENSIONS = 4000
"""The maximum for pgvector's HNSW index on 16-bit floats."""
_TABLES = {"embedding": "memory_memoryembedding", "further": "memory_furtherembedding"}
"""The tables of vectors, by the beginning of their indexes' names."""


def configured_embedder() -> Embedder:
    """Return the row of the model of new spaces: chosen on the models page or by the API, else by
    the settings. Raises EmbeddingError."""
    provider, model = model_of_new_spaces()
    return register_embedder(provider=provider, model=model)


def choose_for_new_spaces(*, connection_id: UUID, model: str, change: Change) -> ModelChoice:
    """Ask this model of the connection for a vector, and choose it for new spaces.

    Raises NotFound, InvalidArguments and EmbeddingError; nothing is chosen then.
    """
    connection = ModelConnection.objects.filter(pk=connection_id).first()
    if connection is None:
        raise NotFound("Model connection not found.")
    name = checked_model(model)
    provider = provider_of(connection)
    length = try_out(provider, name)  # also a model that is known: its endpoint may have changed
    register_embedder(provider=provider, model=name, dimensions=length)
    return choose_model(
        purpose=Purpose.EMBED, space=None, connection_id=connection_id, model=name, change=change
    )


def register_embedder(*, provider: str, model: str, dimensions: int | None = None) -> Embedder:
    """Return the row of this model, with its approximate index; create both if they are new.

    A new model is asked once for the length of its vectors; `dimensions`, if given, must agree.
    Raises EmbeddingError before anything is written.
    """
    known = Embedder.objects.filter(provider=provider, model=model).first()
    true = known.dimensions if known else count_dimensions(provider, model)
    if dimensions not in (None, true):
        raise EmbeddingError(
            f"The embedding provider {provider!r} returns vectors of {true} dimensions for "
            f"{model!r}, not of {dimensions}",
            permanent=True,
        )
    if true > MAX_DIMENSIONS:
        raise EmbeddingError(
            f"{model!r} has vectors of {true} dimensions; more than {MAX_DIMENSIONS} cannot be "
            "indexed",
            permanent=True,
        )
    get_embedder(provider, model, true)  # raises if it cannot be used here
    return _with_index(provider, model, true)


def _with_index(provider: str, model: str, dimensions: int) -> Embedder:
    """Return the model's row, after creating it and its HNSW indexes if missing.

    An index is partial and casts to the model's dimensions, because the column contains vectors of
    every model. Those of small spaces are left out: recall compares them all. The number comes from
    our own row, not from user input.
    """
    embedder, _ = Embedder.objects.get_or_create(
        provider=provider, model=model, defaults={"dimensions": dimensions}
    )
    for kind, table in _TABLES.items():
        name = f"{kind}_hnsw_{embedder.pk}"
        if not _is_valid(name):
            _build(
                name,
                f"{table} USING hnsw"
                f" ((vector::halfvec({embedder.dimensions:d})) halfvec_cosine_ops)"
                f" WHERE embedder_id = {embedder.pk:d} AND in_index",
            )
    return embedder


def _is_valid(name: str) -> bool:
    with database.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name])
        return bool(cursor.fetchone() == (True,))


def _build(name: str, rest: str) -> None:
    """Build the index without blocking writes. Inside a transaction, PostgreSQL only allows a build
    that blocks them.
    """
    beside = "" if database.in_atomic_block else "CONCURRENTLY"
    with database.cursor() as cursor:
        # Waits for another process that is building it.
        cursor.execute(f"CREATE INDEX {beside} IF NOT EXISTS {name} ON {rest}")
        if not _is_valid(name):  # left by a build that was stopped
            cursor.execute(f"DROP INDEX {beside} {name}")
            cursor.execute(f"CREATE INDEX {beside} {name} ON {rest}")
