"""OpenAI's Agents SDK against a running Ebb: session, input filter, tools."""

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

from agents import Agent, Model, ModelResponse, RunConfig, Runner, SQLiteSession, Usage
from agents.items import TResponseOutputItem
from conftest import Run, learned
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from snippets import chat, run_snippet

from ebb_client import Ebb
from ebb_client.async_client import AsyncEbb
from ebb_client.openai_agents import EbbSession, memory_tools, recall_filter

QUIET = {"tracing_disabled": True}


class Scripted(Model):
    """A model that gives these outputs, one after another, and keeps what it was sent."""

    def __init__(self, *outputs: TResponseOutputItem) -> None:
        self._outputs = list(outputs)
        self.instructions: list[str | None] = []
        self.inputs: list[Any] = []

    async def get_response(self, system_instructions, input, *rest, **more) -> ModelResponse:
        self.instructions.append(system_instructions)
        self.inputs.append(input)
        return ModelResponse([self._outputs.pop(0)], Usage(), None)

    def stream_response(self, *given, **more) -> AsyncIterator[Any]:
        raise NotImplementedError


def says(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(
        id="1", content=[part], role="assistant", status="completed", type="message"
    )


def calls(name: str, **arguments: Any) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        name=name, arguments=json.dumps(arguments), call_id=uuid4().hex, type="function_call"
    )


def test_a_session_keeps_the_items_and_learns_from_exchanges(ebb: Ebb, run: Run[None]) -> None:
    async def work(client: AsyncEbb) -> None:
        session = EbbSession(client, SQLiteSession(f"session of {ebb.user_id}"))
        model = Scripted(says("I will remember that."), says("You are welcome."))
        agent = Agent(name="assistant", model=model)
        config = RunConfig(**QUIET)
        await Runner.run(agent, "I am allergic to penicillin.", session=session, run_config=config)
        await Runner.run(agent, "Thanks!", session=session, run_config=config)

        items = await session.get_items()
        assert [item["role"] for item in items] == ["user", "assistant"] * 2
        assert len(model.inputs[1]) == 3
        assert len(await session.get_items(limit=1)) == 1
        popped = await session.pop_item()
        assert popped is not None
        assert popped["role"] == "assistant"
        await session.clear_session()
        assert await session.get_items() == []

    run(work)

    assert any("penicillin" in content for content in learned(ebb))
    assert len(list(ebb.assessments())) == 2


def test_the_filter_adds_memories_to_the_instructions(ebb: Ebb, run: Run[None]) -> None:
    ebb.remember("User likes pizza", memory_type="preference")
    model = Scripted(says("Pizza."), says("Hello."))
    agent = Agent(name="assistant", instructions="Be brief.", model=model)

    async def work(client: AsyncEbb) -> None:
        config = RunConfig(call_model_input_filter=recall_filter(client), **QUIET)
        await Runner.run(agent, "Which food do I like?", run_config=config)
        await Runner.run(agent, " ", run_config=config)

    run(work)

    assert model.instructions[0] is not None
    assert model.instructions[0].startswith("Be brief.")
    assert "User likes pizza" in model.instructions[0]
    assert model.instructions[1] == "Be brief."


def test_a_model_saves_and_corrects_itself_with_the_tools(ebb: Ebb, run: Run[None]) -> None:
    model = Scripted(
        calls("remember", content="User likes pizza", colour="red"),
        calls("remember", content="User likes pizza"),
        says("Saved."),
    )

    async def work(client: AsyncEbb) -> None:
        tools = await memory_tools(client)
        assert {tool.name for tool in tools} == {
            "remember", "search_memories", "update_memory", "forget",
        }  # fmt: skip
        assert [tool.name for tool in await memory_tools(client, ["forget"])] == ["forget"]
        agent = Agent(name="assistant", model=model, tools=list(tools))
        session = EbbSession(client, SQLiteSession(f"session of {ebb.user_id}"))
        config = RunConfig(**QUIET)
        done = await Runner.run(agent, "Note: I like pizza", session=session, run_config=config)
        assert done.final_output == "Saved."

    run(work)

    outputs = [item["output"] for item in model.inputs[-1] if "output" in item]
    assert "colour" in outputs[0]
    assert outputs[0].startswith("memory_invalid_arguments")
    assert outputs[1].startswith("Saved: User likes pizza")
    assert "User likes pizza" in [memory["content"] for memory in ebb.memories()]
    [exchange] = ebb.assessments()  # one exchange, although the model was called three times


def test_the_example_of_the_page_works(ebb: Ebb) -> None:
    model = Scripted(calls("remember", content="User likes pizza"), says("Saved."))

    result = run_snippet(__file__, ebb.user_id, model=model)["result"]

    assert result.final_output == "Saved."
    assert "User likes pizza" in learned(ebb)


def test_the_example_program_works(ebb: Ebb) -> None:
    said = ("I am allergic to penicillin.", "Hello")
    assert chat("openai_agents_chat.py", ebb.user_id, *said).strip()
    assert any("penicillin" in content for content in learned(ebb))
