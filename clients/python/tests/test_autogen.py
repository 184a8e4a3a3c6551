"""AutoGen against a running Ebb: a memory."""

import pytest
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_ext.models.replay import ReplayChatCompletionClient
from conftest import Run, learned
from snippets import chat, run_snippet

from ebb_client import Ebb
from ebb_client.async_client import AsyncEbb
from ebb_client.autogen import EbbMemory


def test_texts_are_added_and_found(ebb: Ebb, run: Run[None]) -> None:
    async def work(client: AsyncEbb) -> None:
        memory = EbbMemory(client)
        await memory.add(
            MemoryContent(
                content="User likes pizza", mime_type=MemoryMimeType.TEXT, metadata={"page": 3}
            )
        )
        [found] = (await memory.query("What does the user like to eat?")).results
        assert found.content == "User likes pizza"
        with pytest.raises(TypeError):
            await memory.add(MemoryContent(content={"a": 1}, mime_type=MemoryMimeType.JSON))
        with pytest.raises(NotImplementedError):
            await memory.clear()

    run(work)
    assert [memory["metadata"] for memory in ebb.memories()] == [{"page": 3}]


def test_the_example_of_the_page_works(ebb: Ebb) -> None:
    ebb.remember("User likes pizza", memory_type="preference")
    model = ReplayChatCompletionClient(["Pizza."])

    variables = run_snippet(__file__, ebb.user_id, model=model)

    assert variables["result"].messages[-1].content == "Pizza."
    [call] = model.create_calls
    assert "User likes pizza" in str(call["messages"])


def test_the_example_program_works(ebb: Ebb) -> None:
    assert chat("autogen_chat.py", ebb.user_id, "I am allergic to penicillin.", "Hello").strip()
    assert any("penicillin" in content for content in learned(ebb))
