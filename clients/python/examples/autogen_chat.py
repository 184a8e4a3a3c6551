"""A chat with long-term memory, with AutoGen: `python autogen_chat.py alice`.

Needs EBB_URL and EBB_KEY, and for the model OPENAI_API_KEY, MODEL and perhaps OPENAI_BASE_URL.
`pip install autogen-agentchat "autogen-ext[openai]" "./clients/python[autogen]"`. AutoGen gives a
memory no replies, so the loop sends each exchange to Ebb itself.
"""

import asyncio
import os
import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient

from ebb_client.async_client import AsyncEbb
from ebb_client.autogen import EbbMemory

ABILITIES = {
    "vision": False,
    "function_calling": False,
    "json_output": False,
    "structured_output": False,
    "family": "unknown",
}


async def chat(user_id: str) -> None:
    """Ask the agent for each line that the user types."""
    model = OpenAIChatCompletionClient(model=os.environ["MODEL"], model_info=ABILITIES)
    async with AsyncEbb(user_id=user_id) as ebb:
        agent = AssistantAgent("assistant", model_client=model, memory=[EbbMemory(ebb)])
        for line in sys.stdin:
            said = line.strip()
            reply = (await agent.run(task=said)).messages[-1].to_text()
            print(reply)
            await ebb.queue_assessment(said, reply, conversation_id=f"autogen-{os.getpid()}")
    await model.close()


asyncio.run(chat(sys.argv[1]))
