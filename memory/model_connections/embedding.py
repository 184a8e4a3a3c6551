"""Model connections as providers of embeddings: an embedding model stores its connection's id."""

from uuid import UUID

from django.conf import settings
from django.db.models import Q

from accounts.models import Space
from memory.models import ModelChoice, ModelConnection, Purpose

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


def environment_decides_embeddings() -> bool:
    """Return whether the environment sets the embedding model of new spaces."""
    decisive = {"EBB_EMBEDDING_PROVIDER", "EBB_EMBEDDING_MODEL"}
    return not decisive.isdisjoint(settings.MODEL_VARIABLES)


def choice_for_new_spaces() -> ModelChoice | None:
    """Return the embedding model that operators chose for new spaces; None if the environment
    decides, or without a choice."""
    if environment_decides_embeddings():
        return None
    rows = ModelChoice.objects.filter(purpose=Purpose.EMBED, space=None)
    return rows.select_related("connection").first()


def model_of_new_spaces() -> tuple[str, str]:
    """Return the provider and the name of the embedding model with which new spaces start."""
    if choice := choice_for_new_spaces():
        return provider_of(choice.connection), choice.model
    return settings.EBB_EMBEDDING_PROVIDER, settings.EBB_EMBEDDING_MODEL
