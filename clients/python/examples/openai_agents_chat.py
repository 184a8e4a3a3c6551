"""A chat with long-term memory, with OpenAI's Agents SDK: `python openai_agents_chat.py alice`.

Needs EBB_URL and EBB_KEY, and for the model OPENAI_API_KEY, MODEL and perhaps OPENAI_BASE_URL.
`pip install "./clients/python[openai-agents]"`. With `tools=await memory_tools(ebb)` the model can
also save and delete memories itself.
"""

import asyncio
import os
import sys

from agents import Agent, RunConfig, Runner, SQLiteSession

from ebb_client.async_client import AsyncEbb
from ebb_client.openai_agents import EbbSession, recall_filter


async def chat(user_id: str) -> None:
    """Ask the agent for each line that the user types."""
    async with AsyncEbb(user_id=user_id) as ebb:
        agent = Agent(
            name="assistant",
            instructions="You are a helpful assistant.",
            model=os.environ["MODEL"],
        )
        session = EbbSession(ebb, SQLiteSession(f"agents-{os.getpid()}"))
        config = RunConfig(call_model_input_filter=recall_filter(ebb), tracing_disabled=True)
        for line in sys.stdin:
            done = await Runner.run(agent, line.strip(), session=session, run_config=config)
            print(done.final_output)


asyncio.run(chat(sys.argv[1]))
