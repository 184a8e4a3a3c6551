"""Embedding models as data, each with an index of its own."""

from django.db import connection, transaction

from memory.embeddings import get_embedder
from memory.models import Embedder


@transaction.atomic
def register_embedder(*, provider: str, model: str, dimensions: int) -> Embedder:
    """The row of this model, with its approximate index, made if it is new.

    The index is partial (WHERE embedder_id = …) and casts to the model's dimensions, because the
    column holds vectors of every model. The number comes from our own row, not from a person.
    """
    get_embedder(provider, model, dimensions)  # raises before anything is written
    embedder, _ = Embedder.objects.get_or_create(
        provider=provider, model=model, defaults={"dimensions": dimensions}
    )
    name = connection.ops.quote_name(f"embedding_hnsw_{embedder.pk}")
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE INDEX IF NOT EXISTS {name} ON memory_memoryembedding"
            f" USING hnsw ((vector::halfvec({embedder.dimensions:d})) halfvec_cosine_ops)"
            f" WHERE embedder_id = {embedder.pk:d}"
        )
    return embedder
