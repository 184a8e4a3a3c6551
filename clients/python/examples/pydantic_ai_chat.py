"""A chat with long-term memory, with pydantic-ai: `python pydantic_ai_chat.py alice`.

Needs EBB_URL and EBB_KEY, and for the model OPENAI_API_KEY, MODEL and perhaps OPENAI_BASE_URL.
`pip install "pydantic-ai-slim[openai]" "./clients/python[pydantic-ai]"`. With
`toolsets=[EbbToolset(ebb)]` the model can also save and delete memories itself.
"""

import asyncio
import os
import sys

from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.models.openai import OpenAIChatModel

from ebb_client.async_client import AsyncEbb
from ebb_client.pydantic_ai import recall_memories, remember_run


async def chat(user_id: str) -> None:
    """Ask the agent for each line that the user types."""
    async with AsyncEbb(user_id=user_id) as ebb:
        recall = ProcessHistory(recall_memories(ebb))
        model = OpenAIChatModel(os.environ["MODEL"])
        agent = Agent(model, system_prompt="You are a helpful assistant.", capabilities=[recall])
        history = None
        for line in sys.stdin:
            done = await agent.run(line.strip(), message_history=history)
            history = done.all_messages()
            print(done.output)
            await remember_run(ebb, done, conversation_id=f"pydantic-ai-{os.getpid()}")


asyncio.run(chat(sys.argv[1]))
