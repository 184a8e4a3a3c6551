"""Answers with a language model, given the recalled memories and the memory tools."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from assessor.llm import (
    ChatMessage,
    ChatModel,
    Chunk,
    Finished,
    MeteredModel,
    ModelBadAnswer,
    TextDelta,
    ToolCall,
    Usage,
)
from chat.connections.tool_ability import calls_tools
from chat.models import MemoryUse
from chat.responders.base import Responder, Turn
from chat.responders.fitting import FittingModel
from chat.responders.prompting import system_prompt
from chat.responders.toolbox import ToolUse
from chat.responders.written_calls import WrittenCalls
from memory.model_connections.choosing import ChosenModel
from memory.model_connections.observations import replying
from memory.model_connections.usage import UsageMeter
from memory.tools import TOOLS

TOOL_ROUNDS = 5
"""How often a model may call tools in one reply; then it is asked to answer without them."""


class ModelResponder(Responder):
    """Answers with any OpenAI-compatible model. Its calls are added to the meter."""

    def __init__(self, model: ChatModel, meter: UsageMeter, chosen: ChosenModel) -> None:
        self.model = MeteredModel(model, meter)
        self.connection = chosen.connection
        self.label = model.model
        self.meter: UsageMeter = meter
        self._chosen = chosen

    def calls_tools(self) -> bool:
        return calls_tools(self.meter.space, self._chosen)

    async def stream(self, turn: Turn) -> AsyncGenerator[Chunk | ToolUse]:
        model = FittingModel(self.model, self._system(turn), turn.history)
        rounds: list[ChatMessage] = []
        answer = _Answer()
        specs = turn.tools.specs if turn.tools else []
        for rounds_left in range(TOOL_ROUNDS, -1, -1):
            offered = specs if rounds_left else []
            asked = _read(model.stream(rounds, tools=offered))
            async with replying(self._chosen.configuration), aclosing(asked) as chunks:
                async for chunk in chunks:
                    if text := answer.add(chunk):
                        yield TextDelta(text)
            if not answer.calls or turn.tools is None or not offered:
                break
            rounds.append(ChatMessage("assistant", answer.round_text, tuple(answer.calls)))
            for call in answer.calls:
                use = await turn.tools.use(call)
                yield use
                rounds.append(ChatMessage("tool", use.text, tool_call_id=call.id))
            answer.next_round()
        yield answer.finished()

    def _system(self, turn: Turn) -> ChatMessage:
        recalled = None if turn.memory == MemoryUse.OFF else turn.results
        prompt = system_prompt(
            recalled,
            turn.now,
            own=turn.system_prompt,
            standing=turn.standing,
            rules=turn.rules,
        )
        return ChatMessage("system", prompt)


@dataclass
class _Answer:
    """The model's answer over all rounds, with the text and tool calls of the current round."""

    round_text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    finish_reason: str = ""
    usage: Usage | None = None
    spoken: bool = False

    def add(self, chunk: Chunk) -> str:
        """Add a chunk; return the text to show, as a new paragraph in each round."""
        if isinstance(chunk, ToolCall):
            self.calls.append(chunk)
        elif isinstance(chunk, Finished):
            self.finish_reason, self.usage = chunk.finish_reason, _sum(self.usage, chunk.usage)
        elif chunk.text:
            begins_anew = self.spoken and not self.round_text
            self.round_text += chunk.text
            self.spoken = self.spoken or not chunk.text.isspace()
            return "\n\n" + chunk.text if begins_anew else chunk.text
        return ""

    def next_round(self) -> None:
        """Start the next round with empty text and calls."""
        self.round_text, self.calls = "", []

    def finished(self) -> Finished:
        """Return the end; raises ModelBadAnswer if the model only called tools."""
        if self.calls and not self.spoken:
            raise ModelBadAnswer("the model called tools and returned no answer")
        return Finished(self.finish_reason, self.usage)


async def _read(chunks: AsyncGenerator[Chunk]) -> AsyncGenerator[Chunk]:
    """Yield the chunks, with calls that the model wrote as text as tool calls."""
    written = WrittenCalls(TOOLS)
    async with aclosing(chunks):
        async for chunk in chunks:
            text = chunk.text if isinstance(chunk, TextDelta) else None
            for piece in written.add(text or "", is_end=text is None):
                yield piece
            if text is None:
                yield chunk


def _sum(one: Usage | None, other: Usage | None) -> Usage | None:
    """Return the tokens of all rounds, as far as the endpoint counts them."""
    if one is None or other is None:
        return one or other
    return Usage(
        one.prompt_tokens + other.prompt_tokens, one.completion_tokens + other.completion_tokens
    )
