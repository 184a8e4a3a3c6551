"""pydantic-ai against a running Ebb: toolset, history processor, learning."""

from conftest import Run, learned
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from snippets import chat, run_snippet

from ebb_client import Ebb
from ebb_client.async_client import AsyncEbb
from ebb_client.pydantic_ai import EbbToolset, recall_memories, remember_run


def test_a_model_saves_and_corrects_itself_with_the_tools(ebb: Ebb, run: Run[None]) -> None:
    asked: list[str] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert {tool.name for tool in info.function_tools} == {
            "remember", "search_memories", "update_memory", "forget",
        }  # fmt: skip
        answers = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        asked.extend(str(part.content) for part in answers)
        step = len(messages) // 2
        if step == 0:
            return ModelResponse([ToolCallPart("remember", {"content": "x", "colour": "red"})])
        if step == 1:
            return ModelResponse([ToolCallPart("remember", {"content": "User likes pizza"})])
        return ModelResponse([TextPart("Saved.")])

    async def work(client: AsyncEbb) -> None:
        agent = Agent(FunctionModel(model), toolsets=[EbbToolset(client)])
        assert (await agent.run("Note: I like pizza")).output == "Saved."

    run(work)

    assert "colour" in asked[0]
    assert asked[1].startswith("Saved: User likes pizza")
    assert [memory["content"] for memory in ebb.memories()] == ["User likes pizza"]


def test_each_request_gets_its_own_memories(ebb: Ebb, run: Run[None]) -> None:
    ebb.remember("User likes pizza", memory_type="preference")
    seen: list[list[str]] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        texts = [str(part.content) for message in messages for part in message.parts]
        seen.append([text for text in texts if text.startswith("<system>")])
        return ModelResponse([TextPart("Pizza.")])

    async def work(client: AsyncEbb) -> None:
        processor = ProcessHistory(recall_memories(client))
        agent = Agent(FunctionModel(model), system_prompt="Be brief.", capabilities=[processor])
        first = await agent.run("Which food do I like?")
        await agent.run("!", message_history=first.all_messages())

    run(work)

    assert [text for text in seen[0] if "User likes pizza" in text]
    assert seen[1] == ["<system>Be brief.</system>"]


def test_a_run_is_learned_from(ebb: Ebb, run: Run[None]) -> None:
    async def work(client: AsyncEbb) -> None:
        reply = ModelResponse([TextPart("I will remember that.")])
        agent = Agent(FunctionModel(lambda messages, info: reply))
        result = await agent.run("I am allergic to penicillin.")
        await remember_run(client, result, conversation_id="1")

    run(work)

    assert any("penicillin" in content for content in learned(ebb))


def test_the_example_of_the_page_works(ebb: Ebb) -> None:
    reply = ModelResponse([TextPart("I will remember that.")])

    run_snippet(__file__, ebb.user_id, model=FunctionModel(lambda messages, info: reply))

    assert any("pizza" in content for content in learned(ebb))


def test_the_example_program_works(ebb: Ebb) -> None:
    said = ("I am allergic to penicillin.", "Hello")
    assert chat("pydantic_ai_chat.py", ebb.user_id, *said).strip()
    assert any("penicillin" in content for content in learned(ebb))
