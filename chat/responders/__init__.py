"""Who answers, chosen by the settings."""

from django.conf import settings
from django.core.cache import cache

from assessor.llm import ModelError, get_model
from chat.responders.base import Responder, Turn
from chat.responders.builtin import BuiltinResponder
from chat.responders.model import ModelResponder

__all__ = ["Responder", "Turn", "get_responder", "has_model", "model_names"]

LISTED_FOR = 300  # seconds


def has_model() -> bool:
    """Whether a language model is configured."""
    return bool(settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL)


def get_responder(model: str = "") -> Responder:
    """A model's responder, or the built-in one where no model is configured.

    `model` is a name at the configured endpoint, "" the configured one.
    """
    if not has_model():
        return BuiltinResponder()
    return ModelResponder(
        get_model(
            base_url=settings.OPENAI_BASE_URL,
            api_key=settings.OPENAI_API_KEY,
            model=model or settings.EBB_CHAT_MODEL,
        )
    )


async def model_names() -> list[str]:
    """The names of the models that the endpoint lists, in order; none if it does not list them."""
    if not has_model():
        return []
    key = f"models of {settings.OPENAI_BASE_URL}".replace(" ", "-")
    names: list[str] | None = await cache.aget(key)
    if names is None:
        try:
            listed = await get_model(
                base_url=settings.OPENAI_BASE_URL,
                api_key=settings.OPENAI_API_KEY,
                model=settings.EBB_CHAT_MODEL,
            ).models()
        except ModelError:
            return []
        names = sorted({str(model["id"]) for model in listed if model.get("id")})
        await cache.aset(key, names, LISTED_FOR)
    return names
