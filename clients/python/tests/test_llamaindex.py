"""LlamaIndex against a running Ebb: a memory block."""

import asyncio

from conftest import Run, learned
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory
from snippets import chat, run_snippet

from ebb_client import Ebb
from ebb_client.async_client import AsyncEbb
from ebb_client.llamaindex import EbbMemoryBlock


def test_a_block_recalls_and_learns_from_what_leaves_the_short_term_memory(
    ebb: Ebb, run: Run[str]
) -> None:
    ebb.remember("User likes pizza", memory_type="preference")

    async def work(client: AsyncEbb) -> str:
        memory = Memory.from_defaults(
            session_id=f"session of {ebb.user_id}",
            token_limit=60,
            chat_history_token_ratio=0.5,
            token_flush_size=20,
            memory_blocks=[EbbMemoryBlock(client)],
        )
        for role, text in (
            ("user", "I am allergic to penicillin."),
            ("assistant", "I will remember that."),
            ("user", "It rains a lot here in autumn, and the garden likes it."),
            ("assistant", "That is good for the garden, and it saves you some work."),
            ("user", "Which food do I like?"),
        ):
            await memory.aput(ChatMessage(role=role, content=text))
        messages = await memory.aget(input="Which food do I like?")
        return "\n".join(str(message.content) for message in messages)

    sent = run(work)

    assert "User likes pizza" in sent
    assert any("penicillin" in content for content in learned(ebb))


def test_the_example_of_the_page_works(ebb: Ebb) -> None:
    ebb.remember("User likes pizza", memory_type="preference")
    memory = run_snippet(__file__, ebb.user_id)["memory"]

    messages = asyncio.run(memory.aget(input="Which food do I like?"))

    assert "User likes pizza" in str(messages[0].content)


def test_the_example_program_works(ebb: Ebb) -> None:
    long = "The garden needs rain, and the rain needs clouds, and the clouds need the sea. " * 10
    said = ("I am allergic to penicillin.", long, long, "Hello")
    assert chat("llamaindex_chat.py", ebb.user_id, *said).strip()
    assert any("penicillin" in content for content in learned(ebb))
