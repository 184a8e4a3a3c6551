"""The model connections of a space whose last call failed."""

from accounts.models import Space
from memory.model_connections.choosing import chosen_model
from memory.model_connections.embedding import connection_of
from memory.models import ANSWERING, ModelConnection


def failing_connections(space: Space) -> list[ModelConnection]:
    """Return the model connections that the space uses and whose last call failed, by name."""
    chosen = [chosen_model(purpose, space) for purpose in ANSWERING]
    used = {one.connection for one in chosen if one and one.connection}
    if embeds_by := connection_of(space.embedder.provider):
        used.add(embeds_by)
    return sorted((one for one in used if one.failure), key=lambda one: one.name)
