"""A chat with long-term memory, with LangGraph: `python langgraph_chat.py alice`.

Needs EBB_URL and EBB_KEY, and for the model OPENAI_API_KEY, MODEL and perhaps OPENAI_BASE_URL.
`pip install langchain-openai "./clients/python[langgraph]"`.
"""

import os
import sys

from langchain_core.messages import SystemMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from ebb_client import Ebb
from ebb_client.langgraph import MemoryState, recall_node, remember_node

model = ChatOpenAI(model=os.environ["MODEL"])
ebb = Ebb(user_id=sys.argv[1])


def answer(state: MemoryState) -> dict[str, list]:
    """Answer with the recalled notes in the system prompt."""
    prompt = SystemMessage(f"You are a helpful assistant.\n\n{state['notes']}")
    return {"messages": [model.invoke([prompt, *state["messages"]])]}


graph = StateGraph(MemoryState)
graph.add_sequence([("recall", recall_node(ebb)), answer, ("remember", remember_node(ebb))])
graph.add_edge(START, "recall")
graph.add_edge("remember", END)
agent = graph.compile(checkpointer=InMemorySaver())
config = {"configurable": {"thread_id": f"langgraph-{os.getpid()}"}}
for line in sys.stdin:
    state = agent.invoke({"messages": [("user", line.strip())]}, config)
    print(state["messages"][-1].text)
