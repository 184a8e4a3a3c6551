"""Embedding providers, chosen by name.

Callers pass `get_embedder` the provider, model and dimensions stored in a row. The endpoint's key
and URL are not part of that: they may change while the vectors stay valid.
"""

import functools
import os
from contextlib import closing
from typing import Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from memory.embeddings.base import Embedder, EmbeddingError
from memory.embeddings.remote import PATIENT, Patience, RemoteEmbedder

__all__ = [
    "PROVIDERS",
    "Embedder",
    "EmbeddingError",
    "RemoteEmbedder",
    "count_dimensions",
    "get_embedder",
    "is_configured",
    "try_out",
]

# onnxruntime reports each session to Microsoft unless this is set before it is imported; its own
# `disable_telemetry_events` comes too late. Ebb sends nothing to services that were not configured.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

PROVIDERS: dict[str, Any] = {
    "local": _("built-in"),
    "openai": _("OpenAI-compatible endpoint"),
    "voyage": "Voyage AI",
}
"""The display name of each provider, by its name in settings and rows."""
HASTY = Patience(document=16.0, attempts=1)


def get_embedder(provider: str, model: str, dimensions: int) -> Embedder:
    """Return the process's one embedder for these three. Raises EmbeddingError (permanent)."""
    embedder = _embedder(provider, model, dimensions)
    if (embedder.model, embedder.dimensions) != (model, dimensions):
        raise EmbeddingError(
            f"The embedding provider {provider!r} has {embedder.model} with "
            f"{embedder.dimensions} dimensions, not {model!r} with {dimensions}",
            permanent=True,
        )
    return embedder


def count_dimensions(provider: str, model: str) -> int:
    """Return the length of this model's vectors, asking its endpoint. Raises EmbeddingError."""
    if provider == "local":
        return _local().dimensions
    with closing(_connected(*_access(provider), model, 0)) as embedder:
        return embedder.count_dimensions()


def try_out(provider: str, model: str) -> int:
    """Return the length of a vector that this model has just made. Raises EmbeddingError after a
    single attempt and a short timeout, because a user is waiting.
    """
    if provider == "local":
        return int(_local().embed(["How long is a vector?"]).shape[1])
    with closing(_connected(*_access(provider), model, 0, HASTY)) as embedder:
        return embedder.count_dimensions()


def is_configured(provider: str) -> bool:
    """Return True if the settings have a key or a URL for this provider."""
    if provider == "local":
        return True
    try:
        _access(provider)
    except EmbeddingError:
        return False
    return True


def _embedder(provider: str, model: str, dimensions: int) -> Embedder:
    if provider == "local":
        return _local()
    return _remote(*_access(provider), model, dimensions)


def _access(provider: str) -> tuple[str, str, str]:
    """Return provider, URL and key from the settings. Raises EmbeddingError."""
    if provider == "openai":
        base_url, api_key = settings.EBB_EMBEDDING_BASE_URL, settings.EBB_EMBEDDING_API_KEY
    elif provider == "voyage":
        base_url, api_key = settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY
    else:
        raise EmbeddingError(f"Unknown embedding provider: {provider!r}", permanent=True)
    if not (base_url or api_key):
        raise EmbeddingError(
            f"The embedding provider {provider!r} has no key and no URL",
            permanent=True,
            kind="not_configured",
        )
    return provider, base_url, api_key


# Each provider is imported when it is chosen: a process loads only the library it uses.


@functools.cache
def _local() -> Embedder:
    from memory.embeddings.minilm import MiniLMEmbedder

    return MiniLMEmbedder(cache_dir=settings.EBB_CACHE_DIR)


def _connected(
    provider: str,
    base_url: str,
    api_key: str,
    model: str,
    dimensions: int,
    patience: Patience = PATIENT,
) -> RemoteEmbedder:
    if provider == "voyage":
        from memory.embeddings.voyage import VoyageEmbedder

        return VoyageEmbedder(
            base_url=base_url, api_key=api_key, model=model, dimensions=dimensions,
            patience=patience,
        )  # fmt: skip
    from memory.embeddings.openai_compatible import OpenAICompatibleEmbedder

    return OpenAICompatibleEmbedder(
        base_url=base_url, api_key=api_key, model=model, dimensions=dimensions, patience=patience
    )


# One instance per process, with its connections.
_remote = functools.cache(_connected)
