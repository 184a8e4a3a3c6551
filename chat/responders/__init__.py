"""Chooses the responder by the settings."""

from django.conf import settings
from django.core.cache import cache

from assessor.llm import ChatModel, ModelError, get_model
from chat.responders.base import Responder, Turn
from chat.responders.builtin import BuiltinResponder
from chat.responders.model import ModelResponder

__all__ = ["Responder", "Turn", "configured_model", "get_responder", "has_model", "model_names"]

LISTED_FOR = 300  # seconds


def has_model() -> bool:
    """Return whether a language model is configured."""
    return bool(settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL)


def configured_model(name: str = "") -> ChatModel | None:
    """Return the endpoint's model of this name, "" for the configured one; None if none is
    configured.
    """
    if not has_model():
        return None
    return get_model(
        base_url=settings.OPENAI_BASE_URL,
        api_key=settings.OPENAI_API_KEY,
        model=name or settings.EBB_CHAT_MODEL,
    )


def get_responder(name: str = "") -> Responder:
    """Return a responder with `configured_model`, or the built-in one if there is none."""
    model = configured_model(name)
    return BuiltinResponder() if model is None else ModelResponder(model)


async def model_names() -> list[str]:
    """Return the names of the endpoint's models, sorted; [] if it does not list them."""
    model = configured_model()
    if model is None:
        return []
    key = f"models of {settings.OPENAI_BASE_URL}".replace(" ", "-")
    names: list[str] | None = await cache.aget(key)
    if names is None:
        try:
            listed = await model.models()
        except ModelError:
            return []
        names = sorted({str(one["id"]) for one in listed if one.get("id")})
        await cache.aset(key, names, LISTED_FOR)
    return names
