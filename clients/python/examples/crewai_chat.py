"""A chat with long-term memory, with CrewAI: `python crewai_chat.py alice`.

Needs EBB_URL and EBB_KEY, and for the model OPENAI_API_KEY, MODEL and perhaps OPENAI_BASE_URL.
`pip install "./clients/python[crewai]"`. The model also extracts the memories from each reply.
"""

import os
import sys

from crewai import LLM, Agent, Crew, Task

from ebb_client import Ebb
from ebb_client.crewai import EbbMemory

model = LLM(model=os.environ["MODEL"], provider="openai")
memory = EbbMemory(Ebb(user_id=sys.argv[1]), llm=model)
agent = Agent(
    role="assistant",
    goal="Help the user",
    backstory="You are a helpful assistant.",
    llm=model,
)
for line in sys.stdin:
    task = Task(description=line.strip(), expected_output="A reply to the user", agent=agent)
    print(Crew(agents=[agent], tasks=[task], memory=memory).kickoff().raw)
