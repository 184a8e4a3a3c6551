"""Embedding providers, chosen by name.

Callers pass `get_embedder` the provider, model and dimensions stored in a row. The endpoint's key
and URL are not part of that: they may change while the vectors stay valid.
"""

import functools
import os
import re
from collections.abc import Sequence
from contextlib import closing
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from memory.embeddings.base import Embedder, EmbeddingError
from memory.embeddings.failures import Failure
from memory.embeddings.remote import PATIENT, Patience, RemoteEmbedder

__all__ = [
    "BUILT_IN",
    "MINILM",
    "MULTILINGUAL",
    "PROVIDERS",
    "Embedder",
    "EmbeddingError",
    "RemoteEmbedder",
    "count_dimensions",
    "get_embedder",
    "is_configured",
    "likely_embedders",
    "listed_models",
    "provider_name",
    "try_endpoint",
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
MINILM = "all-MiniLM-L6-v2"
MULTILINGUAL = "universal-sentence-encoder-multilingual-3"
BUILT_IN = {MINILM: 384, MULTILINGUAL: 512}
"""The dimensions of each model of the provider `local`. The first is for English."""
HASTY = Patience(document=16.0, attempts=1)
# Endpoints list models of all kinds. These words are in the names of most embedding models.
_EMBEDS = re.compile("embed|bge|e5|gte|minilm|nomic", re.IGNORECASE)


class _Access(NamedTuple):
    """An endpoint of embeddings. `public_only` refuses private addresses."""

    provider: str
    base_url: str
    api_key: str
    public_only: bool = False


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
        return _local(model).dimensions
    with closing(_connected(_access(provider), model, 0)) as embedder:
        return embedder.count_dimensions()


def try_out(provider: str, model: str) -> int:
    """Return the length of a vector that this model has just made. Raises EmbeddingError after a
    single attempt and a short timeout, because a user is waiting.
    """
    if provider == "local":
        return int(_local(model).embed(["How long is a vector?"]).shape[1])
    with closing(_connected(_access(provider), model, 0, HASTY)) as embedder:
        return embedder.count_dimensions()


def try_endpoint(*, base_url: str, api_key: str, model: str, public_only: bool) -> int:
    """Return the length of a vector by this model of an OpenAI-compatible endpoint. Raises
    EmbeddingError, as `try_out` does.
    """
    access = _Access("openai", base_url, api_key, public_only)
    with closing(_connected(access, model, 0, HASTY)) as embedder:
        return embedder.count_dimensions()


def likely_embedders(names: Sequence[str]) -> list[str]:
    """Return those of an endpoint's models whose names say that they make embeddings."""
    return [name for name in names if _EMBEDS.search(name)]


def provider_name(provider: str) -> Any:
    """Return the display name of a provider, or of a model connection."""
    from memory.model_connections.embedding import connection_of

    connection = connection_of(provider)
    return connection.name if connection else PROVIDERS.get(provider, provider)


def listed_models(provider: str) -> list[str]:
    """Return the names of the provider's models, as far as it lists them. Raises EmbeddingError."""
    if provider == "local":
        return list(BUILT_IN)
    with closing(_connected(_access(provider), "", 0, HASTY)) as embedder:
        return embedder.listed_models()


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
        return _local(model)
    return _remote(_access(provider), model, dimensions)


def _access(provider: str) -> _Access:
    """Return the access by the settings, or by a model connection. Raises EmbeddingError."""
    # Models can be imported only when the apps are loaded; some commands run before.
    from memory.model_connections.choosing import key_of, public_only
    from memory.model_connections.embedding import connection_of

    if connection := connection_of(provider):
        return _Access("openai", connection.base_url, key_of(connection), public_only())
    if provider == "openai":
        base_url, api_key = settings.EBB_EMBEDDING_BASE_URL, settings.EBB_EMBEDDING_API_KEY
    elif provider == "voyage":
        base_url, api_key = settings.VOYAGE_BASE_URL, settings.VOYAGE_API_KEY
    else:
        raise EmbeddingError(f"Unknown embedding provider: {provider!r}", permanent=True)
    if not (base_url or api_key):
        raise Failure.NOT_CONFIGURED.error(provider)
    return _Access(provider, base_url, api_key)


# Each provider is imported when it is chosen: a process loads only the libraries it uses.


@functools.cache
def _local(model: str) -> Embedder:
    if model == MULTILINGUAL:
        from memory.embeddings.multilingual import MultilingualEmbedder

        return MultilingualEmbedder()
    if model == MINILM:
        from memory.embeddings.minilm import MiniLMEmbedder

        return MiniLMEmbedder(cache_dir=settings.EBB_DATA_DIR / "cache")
    known = " and ".join(BUILT_IN)
    raise EmbeddingError(f"The built-in models are {known}, not {model!r}", permanent=True)


def _connected(
    access: _Access, model: str, dimensions: int, patience: Patience = PATIENT
) -> RemoteEmbedder:
    if access.provider == "voyage":
        from memory.embeddings.voyage import VoyageEmbedder

        kind: type[RemoteEmbedder] = VoyageEmbedder
    else:
        from memory.embeddings.openai_compatible import OpenAICompatibleEmbedder

        kind = OpenAICompatibleEmbedder
    return kind(
        base_url=access.base_url, api_key=access.api_key, model=model, dimensions=dimensions,
        patience=patience, public_only=access.public_only,
    )  # fmt: skip


# One instance per process, with its connections.
_remote = functools.cache(_connected)
