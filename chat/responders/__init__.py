"""Who answers, chosen by the settings."""

from django.conf import settings

from assessor.llm import get_model
from chat.responders.base import Responder, Turn
from chat.responders.builtin import BuiltinResponder
from chat.responders.model import ModelResponder

__all__ = ["Responder", "Turn", "get_responder"]


def get_responder() -> Responder:
    """The configured model's responder, or the built-in one where no model is configured."""
    if not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return BuiltinResponder()
    return ModelResponder(
        get_model(
            base_url=settings.OPENAI_BASE_URL,
            api_key=settings.OPENAI_API_KEY,
            model=settings.EBB_CHAT_MODEL,
        )
    )
