"""Embedding providers, chosen by name.

Callers ask `get_embedder` for the provider, model and dimensions that they have in writing.
"""

import functools

from django.conf import settings

from memory.embeddings.base import Embedder, EmbeddingError

__all__ = ["Embedder", "EmbeddingError", "get_embedder"]


@functools.cache
def get_embedder(provider: str, model: str, dimensions: int) -> Embedder:
    """Return the process's one embedder for these three. Raises EmbeddingError (permanent)."""
    embedder = _create(provider)
    if (embedder.model, embedder.dimensions) != (model, dimensions):
        raise EmbeddingError(
            f"The embedding provider {provider!r} has {embedder.model} with "
            f"{embedder.dimensions} dimensions, not {model!r} with {dimensions}",
            permanent=True,
        )
    return embedder


def _create(provider: str) -> Embedder:
    # Each provider is imported when it is chosen: a process pays only for the library it uses.
    if provider == "local":
        from memory.embeddings.minilm import MiniLMEmbedder

        return MiniLMEmbedder(cache_dir=settings.EBB_CACHE_DIR)
    raise EmbeddingError(f"Unknown embedding provider: {provider!r}", permanent=True)
