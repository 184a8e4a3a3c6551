"""A language model answers, with what was recalled in its system prompt."""

from collections.abc import AsyncGenerator

from assessor.llm import ChatMessage, ChatModel, Chunk
from chat.models import MemoryUse
from chat.prompting import system_prompt
from chat.responders.base import Responder, Turn


class ModelResponder(Responder):
    """Any OpenAI-compatible model."""

    def __init__(self, model: ChatModel) -> None:
        self.model = model
        self.label = model.model

    def stream(self, turn: Turn) -> AsyncGenerator[Chunk]:
        recalled = None if turn.memory == MemoryUse.OFF else turn.results
        prompt = system_prompt(recalled, turn.now, own=turn.system_prompt, rules=turn.rules)
        system = ChatMessage("system", prompt)
        return self.model.stream([system, *turn.history])
