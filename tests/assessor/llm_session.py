"""Asking the provider from plain tests: one event loop and one session with the stub a call."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from assessor.llm import ChatMessage, ChatModel, Chunk, Completion, TextDelta, model_session
from assessor.llm.errors import ModelError
from tests.stub_model import StubModel

T = TypeVar("T")


class Clock(asyncio.SelectorEventLoop):
    """A loop whose clock a test puts forward: no timeout depends on how fast the machine is."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


def put_forward(seconds: float) -> None:
    """Let so much time pass for what the running session waits for."""
    clock = asyncio.get_running_loop()
    assert isinstance(clock, Clock)
    clock.ahead += seconds


async def put_forward_when(holds: Callable[[], object], seconds: float) -> None:
    while not holds():
        await asyncio.sleep(0.01)
    put_forward(seconds)


HELLO = [ChatMessage("system", "Be kind."), ChatMessage("user", "I like pizza a lot")]

HELLO_REPLY = "You said: I like pizza a lot"

SCHEMA = {
    "type": "object",
    "properties": {"importance": {"type": "number"}, "summary": {"type": "string"}},
    "required": ["importance", "summary"],
    "additionalProperties": False,
}


def run(
    stub: StubModel,
    ask: Callable[[ChatModel], Coroutine[Any, Any, T]],
    *,
    api_key: str = "key",
    idle_timeout: float = 30.0,
) -> T:
    async def session() -> T:
        async with model_session(
            base_url=stub.base_url, api_key=api_key, model="stub", idle_timeout=idle_timeout
        ) as model:
            return await ask(model)

    with asyncio.Runner(loop_factory=Clock) as runner:
        return runner.run(session())


async def read(model: ChatModel, **options: Any) -> list[Chunk]:
    return [chunk async for chunk in model.stream(HELLO, **options)]


async def complete(model: ChatModel) -> Completion:
    return await model.complete(HELLO, timeout=30)


def text_of(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta))


async def read_until_error(model: ChatModel, seen: list[Chunk]) -> ModelError:
    """Add what comes to the list; return the error."""
    try:
        async for chunk in model.stream(HELLO):
            seen.append(chunk)
    except ModelError as error:
        return error
    raise AssertionError("the stream ended as if nothing had happened")
