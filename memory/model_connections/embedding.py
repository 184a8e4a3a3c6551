"""Model connections as providers of embeddings: an embedding model stores its connection's id."""

from uuid import UUID

from django.db.models import Q

from memory.models import ModelConnection, Space

PREFIX = "connection:"


def provider_of(connection: ModelConnection) -> str:
    """Return the provider's name under which a connection's embedding models are stored."""
    return f"{PREFIX}{connection.pk}"


def connection_of(provider: str) -> ModelConnection | None:
    """Return the connection of an embedding model; None for another provider, or if it was
    deleted."""
    if not provider.startswith(PREFIX):
        return None
    try:
        return ModelConnection.objects.filter(pk=UUID(provider.removeprefix(PREFIX))).first()
    except ValueError:
        return None


def embeds(connection: ModelConnection) -> bool:
    """Return whether a space embeds its memories by this connection, or is moving to it."""
    provider = provider_of(connection)
    uses = Q(embedder__provider=provider) | Q(next_embedder__provider=provider)
    return Space.objects.filter(uses).exists()
