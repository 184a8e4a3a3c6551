"""A chat with long-term memory, with LlamaIndex: `python llamaindex_chat.py alice`.

Needs EBB_URL and EBB_KEY, and for the model OPENAI_API_KEY, MODEL and perhaps OPENAI_BASE_URL.
`pip install openai "./clients/python[llamaindex]"`. Ebb learns from messages
that leave the short-term memory, which is small here.
"""

import asyncio
import os
import sys

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory
from openai import AsyncOpenAI

from ebb_client.async_client import AsyncEbb
from ebb_client.llamaindex import EbbMemoryBlock


async def chat(user_id: str) -> None:
    """Ask the agent for each line that the user types."""
    async with AsyncOpenAI() as openai, AsyncEbb(user_id=user_id) as ebb:
        memory = Memory.from_defaults(
            session_id=f"llamaindex-{os.getpid()}",
            token_limit=300,
            token_flush_size=100,
            memory_blocks=[EbbMemoryBlock(ebb)],
        )
        for line in sys.stdin:
            await memory.aput(ChatMessage(role="user", content=line.strip()))
            sent = [
                {"role": message.role.value, "content": message.content}
                for message in await memory.aget(input=line.strip())
            ]
            done = await openai.chat.completions.create(model=os.environ["MODEL"], messages=sent)
            reply = done.choices[0].message.content
            await memory.aput(ChatMessage(role="assistant", content=reply))
            print(reply)


asyncio.run(chat(sys.argv[1]))
