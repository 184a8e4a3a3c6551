"""Chooses the responder of a space."""

from django.core.cache import caches

from accounts.models import Space
from assessor.llm import ChatModel, MeteredModel, ModelError, get_model
from chat.responders.base import Responder, Turn
from chat.responders.builtin import BuiltinResponder
from chat.responders.model import ModelResponder
from foundation.database.connections import in_thread
from memory.model_connections.choosing import ChosenModel, ModelConfiguration, chosen_model
from memory.model_connections.usage import UsageMeter
from memory.models import Purpose, UsagePurpose

__all__ = ["Responder", "Turn", "configured_model", "get_responder", "model_names"]

LISTED_FOR = 300  # seconds


def configured_model(space: Space) -> tuple[ChatModel, UsageMeter, ModelConfiguration] | None:
    """Return the space's chat model, the meter of its calls and its configuration; None if no model
    is chosen."""
    chosen = chosen_model(Purpose.CHAT, space)
    if chosen is None:
        return None
    meter = UsageMeter.of(space, UsagePurpose.CHAT, chosen)
    return MeteredModel(_model(chosen), meter), meter, chosen.configuration


def get_responder(space: Space, name: str = "") -> Responder:
    """Return a responder with `configured_model`, or the built-in one if there is none."""
    chosen = chosen_model(Purpose.CHAT, space)
    if chosen is None:
        return BuiltinResponder()
    chosen = chosen.named(name)
    meter = UsageMeter.of(space, UsagePurpose.CHAT, chosen)
    return ModelResponder(_model(chosen), meter, chosen)


async def model_names(space: Space) -> list[str]:
    """Return the names of the endpoint's models, sorted; [] if it does not list them."""
    chosen = await in_thread(chosen_model, Purpose.CHAT, space)
    if chosen is None:
        return []
    key = f"models of {chosen.connection_id} {chosen.base_url}".replace(" ", "-")
    names: list[str] | None = await caches["process"].aget(key)
    if names is None:
        try:
            listed = await _model(chosen).models()
        except ModelError:
            return []
        names = sorted({str(one["id"]) for one in listed if one.get("id")})
        await caches["process"].aset(key, names, LISTED_FOR)
    return names


def _model(chosen: ChosenModel) -> ChatModel:
    return get_model(**chosen.configuration)
