"""A chat with long-term memory, with LangChain: `python langchain_chat.py alice`.

Needs EBB_URL and EBB_KEY, and for the model OPENAI_API_KEY, MODEL and perhaps OPENAI_BASE_URL.
`pip install langchain-openai "./clients/python[langchain]"`.
"""

import os
import sys

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver

from ebb_client import Ebb
from ebb_client.langchain import EbbMiddleware

conversation = f"langchain-{os.getpid()}"
agent = create_agent(
    ChatOpenAI(model=os.environ["MODEL"]),
    system_prompt="You are a helpful assistant.",
    middleware=[EbbMiddleware(Ebb(user_id=sys.argv[1]), conversation_id=conversation)],
    checkpointer=InMemorySaver(),
)
config = {"configurable": {"thread_id": conversation}}
for line in sys.stdin:
    state = agent.invoke({"messages": [("user", line.strip())]}, config)
    print(state["messages"][-1].text)
