"""Embedding models as data, each with an index of its own."""

from django.conf import settings
from django.db import connection, transaction

from memory.embeddings import EmbeddingError, count_dimensions, get_embedder
from memory.models import Embedder

MAX_DIMENSIONS = 4000
"""The most that pgvector's HNSW index takes of 16-bit floats."""


def configured_embedder() -> Embedder:
    """The row of the model that the settings name: the one of new spaces. Raises EmbeddingError."""
    return register_embedder(
        provider=settings.EBB_EMBEDDING_PROVIDER,
        model=settings.EBB_EMBEDDING_MODEL,
        dimensions=settings.EBB_EMBEDDING_DIMENSIONS,
    )


def register_embedder(*, provider: str, model: str, dimensions: int | None = None) -> Embedder:
    """The row of this model, with its approximate index, made if it is new.

    A new model is asked once how long its vectors are; given `dimensions` must agree with that, or
    with what is known of it. Raises EmbeddingError before anything is written.
    """
    known = Embedder.objects.filter(provider=provider, model=model).first()
    true = known.dimensions if known else count_dimensions(provider, model)
    if dimensions not in (None, true):
        raise EmbeddingError(
            f"The embedding provider {provider!r} gives vectors of {true} dimensions for "
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


@transaction.atomic
def _with_index(provider: str, model: str, dimensions: int) -> Embedder:
    """The index is partial (WHERE embedder_id = …) and casts to the model's dimensions, because the
    column holds vectors of every model. The number comes from our own row, not from a person.
    """
    embedder, _ = Embedder.objects.get_or_create(
        provider=provider, model=model, defaults={"dimensions": dimensions}
    )
    name = f"embedding_hnsw_{embedder.pk}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s)", [name])
        [known] = cursor.fetchone()
        if known is not None:
            return embedder
        # Who writes vectors waits while the table is read for it, once in a model's life.
        cursor.execute(
            f"CREATE INDEX IF NOT EXISTS {name} ON memory_memoryembedding"
            f" USING hnsw ((vector::halfvec({embedder.dimensions:d})) halfvec_cosine_ops)"
            f" WHERE embedder_id = {embedder.pk:d}"
        )
    return embedder
