"""Texts to vectors by a model that stands in the database."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memory.connections import release_connection
from memory.embeddings import RemoteEmbedder, get_embedder
from memory.embeddings.base import TextKind
from memory.models import Embedder

Vectors = npt.NDArray[np.float32]


def embed(model: Embedder, texts: Sequence[str], *, kind: TextKind = "document") -> Vectors:
    """Vectors of the texts, shape (n, dimensions), in their order. Raises EmbeddingError.

    While an endpoint is asked, nobody's database connection waits for it.
    """
    embedder = get_embedder(model.provider, model.model, model.dimensions)
    if isinstance(embedder, RemoteEmbedder):
        release_connection()
    return embedder.embed(texts, kind=kind)
