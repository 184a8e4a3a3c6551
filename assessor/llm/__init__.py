"""Chat models: the only place in Ebb that talks to one.

`get_model` returns the process's model for a configuration. The web process has one event loop for
life, so it keeps its connections. A Celery task's loop ends with the task, so the task uses `async
with model_session(...) as model`, which leaves no connection behind.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING

from assessor.llm.base import (
    ChatMessage,
    ChatModel,
    Chunk,
    Completion,
    Finished,
    TextDelta,
    ToolCall,
    Usage,
)
from assessor.llm.errors import ModelBadAnswer, ModelError

if TYPE_CHECKING:
    from assessor.llm.openai_compatible import OpenAICompatibleModel

__all__ = [
    "ChatMessage",
    "ChatModel",
    "Chunk",
    "Completion",
    "Finished",
    "ModelBadAnswer",
    "ModelError",
    "TextDelta",
    "ToolCall",
    "Usage",
    "get_model",
    "model_session",
]


def get_model(
    *, base_url: str, api_key: str, model: str, idle_timeout: float = 30.0
) -> "OpenAICompatibleModel":
    """Return the model of this configuration, one per process; `base_url` "" means OpenAI.

    Usable from any event loop and thread: connections are kept per loop.
    """
    return _model(base_url, api_key, model, idle_timeout)


@cache
def _model(base_url: str, api_key: str, model: str, idle_timeout: float) -> "OpenAICompatibleModel":
    # Importing the SDK takes most of a second. Commands that ask no model should not pay for it.
    from assessor.llm.openai_compatible import OpenAICompatibleModel

    return OpenAICompatibleModel(
        base_url=base_url, api_key=api_key, model=model, idle_timeout=idle_timeout
    )


@asynccontextmanager
async def model_session(
    *, base_url: str, api_key: str, model: str, idle_timeout: float = 30.0
) -> AsyncGenerator[ChatModel]:
    """Yield `get_model`'s model and close the running loop's connections at the end."""
    chosen = get_model(base_url=base_url, api_key=api_key, model=model, idle_timeout=idle_timeout)
    try:
        yield chosen
    finally:
        await chosen.aclose()
