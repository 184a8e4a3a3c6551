"""Vectors of texts, by an embedding model with a row in the database."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt

from memory.connections import release_connection
from memory.embeddings import RemoteEmbedder, get_embedder
from memory.embeddings.base import TextKind
from memory.models import Embedder

Vectors = npt.NDArray[np.float32]

ASKED_AGAIN = 512
_asked: OrderedDict[tuple[str, str, int, str], Vectors] = OrderedDict()
_asked_lock = Lock()


def embed(model: Embedder, texts: Sequence[str], *, kind: TextKind = "document") -> Vectors:
    """Return the texts' vectors, shape (n, dimensions), in their order. Raises EmbeddingError.

    The database connection is released before an endpoint is called.
    """
    embedder = get_embedder(model.provider, model.model, model.dimensions)
    if isinstance(embedder, RemoteEmbedder):
        release_connection()
    return embedder.embed(texts, kind=kind)


def question_vectors(model: Embedder, queries: Sequence[str]) -> Sequence[Vectors]:
    """Return the vectors of questions; this process caches the latest, because the lab repeats
    questions while weights are tried. Raises EmbeddingError.
    """
    keys = [(model.provider, model.model, model.dimensions, query) for query in queries]
    with _asked_lock:
        found = {key: _asked[key] for key in keys if key in _asked}
    new = [key for key in dict.fromkeys(keys) if key not in found]
    if new:
        vectors = embed(model, [key[-1] for key in new], kind="query")
        # Copies, because a view of one row would keep the whole array in memory.
        found |= {key: row.copy() for key, row in zip(new, vectors, strict=True)}
    with _asked_lock:
        for key in keys:
            _asked[key] = found[key]
            _asked.move_to_end(key)
        while len(_asked) > ASKED_AGAIN:
            _asked.popitem(last=False)
    return [found[key] for key in keys]
