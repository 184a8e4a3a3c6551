"""Who answers, chosen by the settings."""

from django.conf import settings

from assessor.llm import get_model
from chat.responders.base import Responder, Turn
from chat.responders.builtin import BuiltinResponder
from chat.responders.model import ModelResponder

__all__ = ["Responder", "Turn", "get_responder"]


def get_responder(model: str = "") -> Responder:
    """A model's responder, or the built-in one where no model is configured.

    `model` is a name at the configured endpoint, "" the configured one.
    """
    if not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return BuiltinResponder()
    return ModelResponder(
        get_model(
            base_url=settings.OPENAI_BASE_URL,
            api_key=settings.OPENAI_API_KEY,
            model=model or settings.EBB_CHAT_MODEL,
        )
    )
