"""Chat models. Only this package talks to them.

`get_model` returns the process's model for a configuration. Web processes and workers have one
event loop for life that keeps its connections. Code whose loop ends soon uses `async with
model_session(...) as model`, which leaves no connection behind.
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
from assessor.llm.factory import LLMFactory, LLMType
from assessor.llm.metering import MeteredModel
from memory.model_connections.choosing import ModelConfiguration, Prices
from memory.model_connections.usage import UsageMeter

if TYPE_CHECKING:
    from assessor.llm.openai_compatible import OpenAICompatibleModel

__all__ = [
    "ChatMessage",
    "ChatModel",
    "Chunk",
    "Completion",
    "Finished",
    "LLMFactory",
    "LLMType",
    "MeteredModel",
    "ModelBadAnswer",
    "ModelError",
    "TextDelta",
    "ToolCall",
    "Usage",
    "get_model",
    "model_session",
    "trial_session",
]

UNPRICED = Prices()


def get_model(
    *,
    base_url: str,
    api_key: str,
    model: str,
    prices: Prices = UNPRICED,
    public_only: bool = False,
    idle_timeout: float = 30.0,
) -> "OpenAICompatibleModel":
    """Return the model of this configuration, one per process; `base_url` "" means OpenAI.

    Usable from any event loop and thread: connections are kept per loop.
    """
    return _model(base_url, api_key, model, prices, public_only, idle_timeout)


@cache
def _model(
    base_url: str,
    api_key: str,
    model: str,
    prices: Prices,
    public_only: bool,
    idle_timeout: float,
) -> "OpenAICompatibleModel":
    # Importing the SDK takes almost a second. Commands that use no model should not pay for it.
    from assessor.llm.openai_compatible import OpenAICompatibleModel

    return OpenAICompatibleModel(
        base_url=base_url,
        api_key=api_key,
        model=model,
        prices=prices,
        public_only=public_only,
        idle_timeout=idle_timeout,
    )


@asynccontextmanager
async def trial_session(
    configuration: ModelConfiguration,
) -> AsyncGenerator["OpenAICompatibleModel"]:
    """Yield a new model, which knows nothing of its endpoint yet, and close its connections."""
    from assessor.llm.openai_compatible import OpenAICompatibleModel

    model = OpenAICompatibleModel(**configuration, idle_timeout=30.0)
    try:
        yield model
    finally:
        await model.aclose()


@asynccontextmanager
async def model_session(
    *,
    base_url: str,
    api_key: str,
    model: str,
    prices: Prices = UNPRICED,
    public_only: bool = False,
    idle_timeout: float = 30.0,
    meter: UsageMeter | None = None,
) -> AsyncGenerator[ChatModel]:
    """Yield `get_model`'s model and close the running loop's connections at the end.

    Its calls are added to the meter, which the caller stores.
    """
    chosen = get_model(
        base_url=base_url,
        api_key=api_key,
        model=model,
        prices=prices,
        public_only=public_only,
        idle_timeout=idle_timeout,
    )
    try:
        yield chosen if meter is None else MeteredModel(chosen, meter)
    finally:
        await chosen.aclose()
