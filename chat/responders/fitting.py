"""Sends a model less and less of the conversation, until the model can read it all.

A local model often reads only 4,096 tokens. Some servers refuse a longer conversation,
llama-cpp-python breaks the stream off, and LM Studio ends it without a word.
"""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from assessor.llm import ChatMessage, ChatModel, Chunk, Finished
from assessor.llm.errors import ModelInterrupted, ModelTooLong

logger = logging.getLogger(__name__)


class FittingModel:
    """A model that leaves out the older half of `history` as often as needed.

    The last message of the history, which is the question, is always sent.
    """

    def __init__(self, model: ChatModel, system: ChatMessage, history: Sequence[ChatMessage]):
        self._model = model
        self._system = system
        self._history = list(history)

    async def stream(
        self, rounds: Sequence[ChatMessage], *, tools: Sequence[dict[str, Any]]
    ) -> AsyncGenerator[Chunk]:
        """Yield the answer to the history and the rounds of tool calls after it.

        Raises ModelError.
        """
        while True:
            began = False
            try:
                messages = [self._system, *self._history, *rounds]
                async with aclosing(self._model.stream(messages, tools=tools)) as chunks:
                    async for chunk in chunks:
                        if isinstance(chunk, Finished) and not began and self._shorten():
                            break
                        began = True
                        yield chunk
                    else:
                        return
            except (ModelTooLong, ModelInterrupted):
                if began or not self._shorten():
                    raise

    def _shorten(self) -> bool:
        """Leave out the older half of the history; return whether there was one."""
        newer = self._history[len(self._history) // 2 :]
        # Some endpoints require a person's message first.
        while len(newer) > 1 and newer[0].role != "user":
            newer = newer[1:]
        left_out = len(self._history) - len(newer)
        self._history = newer
        if left_out:
            logger.info("Asking the model again without the %d oldest messages", left_out)
        return left_out > 0
