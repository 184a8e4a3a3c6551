"""Vectors of texts, by an embedding model with a row in the database."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from time import perf_counter

import numpy as np
import numpy.typing as npt
from django.utils import timezone

from accounts.models import Embedder, Space
from foundation.database.connections import release_connection
from foundation.texts.forms import compatible
from memory.embeddings import EmbeddingError, RemoteEmbedder, get_embedder
from memory.embeddings.base import TextKind
from memory.embeddings.groups import ends_of, texts_of
from memory.model_connections.choosing import Prices, prices_of
from memory.model_connections.embedding import connection_of
from memory.model_connections.services import record_failure, record_success
from memory.model_connections.usage import ModelCall, UsageSource, record_usage
from memory.models import UsagePurpose

Vectors = npt.NDArray[np.float32]

ASKED_AGAIN = 512
_asked: OrderedDict[tuple[str, str, int, str], Vectors] = OrderedDict()
_asked_lock = Lock()


def embed(
    model: Embedder,
    texts: Sequence[str],
    *,
    kind: TextKind = "document",
    space: Space | None = None,
) -> Vectors:
    """Return the texts' vectors, shape (n, dimensions), in their order. Raises EmbeddingError.

    The database connection is released before an endpoint is called. The endpoint's tokens are
    counted for the space, if one is given, and its failures are shown on its connection.
    """
    texts = [compatible(text) for text in texts]
    embedder = get_embedder(model.provider, model.model, model.dimensions)
    if not isinstance(embedder, RemoteEmbedder):
        return embedder.embed(texts, kind=kind)
    release_connection()
    counts: list[int | None] = []
    failure, started = "", perf_counter()
    try:
        return embedder.embed_counted(texts, kind=kind, counts=counts)
    except EmbeddingError as error:
        failure = str(error)
        raise
    finally:
        if space is not None:
            _record(space, model, counts, failure, seconds=perf_counter() - started)


def embed_memories(
    model: Embedder, texts: Sequence[str], *, space: Space | None = None
) -> list[Vectors]:
    """Return, for each memory's text, its own vector and those of its groups of sentences
    (embeddings.groups), shape (1 + groups, dimensions). Raises EmbeddingError, as `embed` does."""
    reads = get_embedder(model.provider, model.model, model.dimensions).reads
    parts = [texts_of(text, reads) for text in texts]
    vectors = embed(model, [one for own in parts for one in own], space=space)
    return np.split(vectors, np.cumsum([len(own) for own in parts])[:-1])


def embed_questions(
    model: Embedder, texts: Sequence[str], *, space: Space | None = None
) -> list[Vectors]:
    """Return the questions' vectors, each of shape (dimensions,). A long one is read at its
    beginning and its end. Raises EmbeddingError, as `embed` does."""
    reads = get_embedder(model.provider, model.model, model.dimensions).reads
    ends = [ends_of(text, reads) for text in texts]
    vectors = embed(model, [one for own in ends for one in own], kind="query", space=space)
    split = np.split(vectors, np.cumsum([len(own) for own in ends])[:-1])
    return [_between(own) for own in split]


def _between(vectors: Vectors) -> Vectors:
    """Return the unit vector between these, shape (dimensions,)."""
    total = vectors.sum(axis=0)
    return vectors[0] if len(vectors) == 1 else np.asarray(total / np.linalg.norm(total))


def _record(
    space: Space, model: Embedder, counts: Sequence[int | None], failure: str, *, seconds: float
) -> None:
    """Store the usage of an endpoint, and on its connection whether it answered. `counts` are the
    tokens of its answers; `failure` is "" if none failed. The calls share the `seconds`."""
    now, at = timezone.now(), connection_of(model.provider)
    each = seconds / max(1, len(counts) + bool(failure))
    calls = [ModelCall(tokens, 0, seconds=each) for tokens in counts]
    if failure:
        calls.append(ModelCall(failed=True, seconds=each))
    record_usage(
        space=space,
        purpose=UsagePurpose.EMBED,
        source=UsageSource.at(at, model.model, prices_of(at) if at else Prices()),
        calls=calls,
        now=now,
    )
    if at is not None and failure:
        record_failure(connection=at, error=failure, now=now)
    elif at is not None:
        record_success(connection=at)


def question_vectors(
    model: Embedder, queries: Sequence[str], *, space: Space | None = None
) -> Sequence[Vectors]:
    """Return the vectors of questions; this process caches the latest, because the lab repeats
    questions while weights are tried. Usage is counted as by `embed`. Raises EmbeddingError.
    """
    keys = [(model.provider, model.model, model.dimensions, query) for query in queries]
    with _asked_lock:
        found = {key: _asked[key] for key in keys if key in _asked}
    new = [key for key in dict.fromkeys(keys) if key not in found]
    if new:
        vectors = embed_questions(model, [key[-1] for key in new], space=space)
        # Copies, because a view of one row would keep the whole array in memory.
        found |= {key: row.copy() for key, row in zip(new, vectors, strict=True)}
    with _asked_lock:
        for key in keys:
            _asked[key] = found[key]
            _asked.move_to_end(key)
        while len(_asked) > ASKED_AGAIN:
            _asked.popitem(last=False)
    return [found[key] for key in keys]
