"""Texts to copy that connect programs to Ebb, with the address and the key filled in."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

PLACEHOLDER = "ebb_…"
"""Stands for the key until one is created."""
_FIRST = ("curl", "python", "typescript", "claude-code")
"""The programs whose texts are shown with each new key."""
_URL, _KEY = "EBB_URL", "EBB_KEY"  # replaced; texts in JSON have too many braces for str.format


@dataclass(frozen=True)
class Host:
    """A program that can use Ebb: where to put its text, and the text with placeholders."""

    name: str
    title: str
    place: str | Promise
    text: str

    def filled(self, url: str, key: str) -> str:
        """Return the text with Ebb's address (no slash at its end) and the key."""
        return self.text.replace(_URL, url).replace(_KEY, key)


def _install(packages: str) -> Promise:
    """Return the install command for adapters of Ebb's Python client, which is not in a package
    registry.
    """
    return format_lazy(_("In Ebb's folder, run: pip install {packages}"), packages=packages)


HOSTS = (
    Host(
        "curl",
        "curl",
        _("Run in a terminal:"),
        """curl EBB_URL/api/v1/memories -H "Authorization: Bearer EBB_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"content": "User likes pizza", "on_duplicate": "reinforce"}'""",
    ),
    Host(
        "python",
        "Python",
        _install("./clients/python"),
        """from ebb_client import Ebb

ebb = Ebb("EBB_URL", "EBB_KEY")
ebb.remember("User likes pizza")
for result in ebb.search("What does the user like to eat?")["results"]:
    print(result["match"], result["memory"]["content"])""",
    ),
    Host(
        "typescript",
        "TypeScript",
        _("With Ebb's client, from the folder clients/typescript:"),
        """import { Ebb } from "ebb-client";

const ebb = new Ebb({ url: "EBB_URL", key: "EBB_KEY" });
await ebb.remember("User likes pizza");
for (const { match, memory } of (await ebb.search("What does the user like to eat?")).results) {
  console.log(match, memory.content);
}""",
    ),
    Host(
        "ai-sdk",
        "Vercel AI SDK",
        _("With the middleware of Ebb's client, from the folder clients/typescript:"),
        """import { generateText, wrapLanguageModel } from "ai";
import { Ebb } from "ebb-client";
import { ebbMemory } from "ebb-client/ai-sdk";

const middleware = ebbMemory(new Ebb({ url: "EBB_URL", key: "EBB_KEY" }));
const { text } = await generateText({
  model: wrapLanguageModel({ model, middleware }),  // model: your own
  prompt: "What do I like to eat?",
});
console.log(text);""",
    ),
    Host(
        "claude-code",
        "Claude Code",
        _("Run in a terminal:"),
        """claude mcp add --transport http ebb EBB_URL/mcp \\
  --header "Authorization: Bearer EBB_KEY\"""",
    ),
    Host(
        "claude-desktop",
        "Claude Desktop",
        _("Settings → Developer → Edit config (claude_desktop_config.json; needs Node.js):"),
        """{
  "mcpServers": {
    "ebb": {
      "command": "npx",
      "args": ["-y", "mcp-remote", "EBB_URL/mcp", "--header", "Authorization:${AUTHORIZATION}"],
      "env": {"AUTHORIZATION": "Bearer EBB_KEY"}
    }
  }
}""",
    ),
    Host(
        "cursor",
        "Cursor",
        _("In ~/.cursor/mcp.json:"),
        """{
  "mcpServers": {
    "ebb": {
      "url": "EBB_URL/mcp",
      "headers": {"Authorization": "Bearer EBB_KEY"}
    }
  }
}""",
    ),
    Host(
        "vs-code",
        "VS Code",
        _("In .vscode/mcp.json:"),
        """{
  "servers": {
    "ebb": {
      "type": "http",
      "url": "EBB_URL/mcp",
      "headers": {"Authorization": "Bearer EBB_KEY"}
    }
  }
}""",
    ),
    Host(
        "open-webui",
        "Open WebUI",
        _(
            "In the environment of Open WebUI. The last line tells Ebb who writes. Then choose the "
            "model ebb:"
        ),
        """OPENAI_API_BASE_URL=EBB_URL/v1
OPENAI_API_KEY=EBB_KEY
ENABLE_FORWARD_USER_INFO_HEADERS=true""",
    ),
    Host(
        "langgraph",
        "LangGraph",
        _install('"./clients/python[langgraph]"'),
        """from ebb_client import Ebb
from ebb_client.langgraph import EbbStore, MemoryState, recall_node, remember_node
from langchain_core.messages import SystemMessage
from langgraph.graph import END, START, StateGraph

ebb = Ebb("EBB_URL", "EBB_KEY")

def answer(state: MemoryState):  # model: your own
    prompt = SystemMessage(f"You are a helpful assistant.\\n\\n{state['notes']}")
    return {"messages": [model.invoke([prompt, *state["messages"]])]}

graph = StateGraph(MemoryState)
graph.add_sequence([("recall", recall_node(ebb)), answer, ("remember", remember_node(ebb))])
graph.add_edge(START, "recall")
graph.add_edge("remember", END)
agent = graph.compile(store=EbbStore(ebb))""",
    ),
    Host(
        "langchain",
        "LangChain",
        _install('"./clients/python[langchain]"'),
        """from ebb_client import Ebb
from ebb_client.langchain import EbbMiddleware
from langchain.agents import create_agent

ebb = Ebb("EBB_URL", "EBB_KEY")
agent = create_agent(model, middleware=[EbbMiddleware(ebb)])  # model: your own
print(agent.invoke({"messages": [("user", "What do I like to eat?")]})["messages"][-1].text)""",
    ),
    Host(
        "openai-agents",
        "OpenAI Agents SDK",
        _install('"./clients/python[openai-agents]"'),
        """import asyncio

from agents import Agent, RunConfig, Runner, SQLiteSession
from ebb_client.async_client import AsyncEbb
from ebb_client.openai_agents import EbbSession, memory_tools, recall_filter

async def main():
    async with AsyncEbb("EBB_URL", "EBB_KEY") as ebb:
        agent = Agent(name="assistant", model=model, tools=await memory_tools(ebb))
        session = EbbSession(ebb, SQLiteSession("conversation-1"))
        config = RunConfig(call_model_input_filter=recall_filter(ebb))
        question = "What do I like to eat?"
        result = await Runner.run(agent, question, session=session, run_config=config)
        print(result.final_output)

asyncio.run(main())  # model: your own""",
    ),
    Host(
        "pydantic-ai",
        "pydantic-ai",
        _install('"./clients/python[pydantic-ai]"'),
        """import asyncio

from ebb_client.async_client import AsyncEbb
from ebb_client.pydantic_ai import EbbToolset, recall_memories, remember_run
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory

async def main():
    async with AsyncEbb("EBB_URL", "EBB_KEY") as ebb:
        recall = ProcessHistory(recall_memories(ebb))
        agent = Agent(model, toolsets=[EbbToolset(ebb)], capabilities=[recall])
        result = await agent.run("What do I like to eat?")
        await remember_run(ebb, result)
        print(result.output)

asyncio.run(main())  # model: your own""",
    ),
    Host(
        "llamaindex",
        "LlamaIndex",
        _install('"./clients/python[llamaindex]"'),
        """from ebb_client.async_client import AsyncEbb
from ebb_client.llamaindex import EbbMemoryBlock
from llama_index.core.memory import Memory

ebb = AsyncEbb("EBB_URL", "EBB_KEY")
memory = Memory.from_defaults(memory_blocks=[EbbMemoryBlock(ebb)])""",
    ),
    Host(
        "autogen",
        "AutoGen",
        _install('"./clients/python[autogen]"'),
        """import asyncio

from autogen_agentchat.agents import AssistantAgent
from ebb_client.async_client import AsyncEbb
from ebb_client.autogen import EbbMemory

async def main():
    async with AsyncEbb("EBB_URL", "EBB_KEY") as ebb:
        agent = AssistantAgent("assistant", model_client=model, memory=[EbbMemory(ebb)])
        result = await agent.run(task="What do I like to eat?")
        print(result.messages[-1].content)

asyncio.run(main())  # model: your own""",
    ),
    Host(
        "crewai",
        "CrewAI",
        _install('"./clients/python[crewai]"'),
        """from crewai import Agent, Crew, Task
from ebb_client import Ebb
from ebb_client.crewai import EbbMemory

memory = EbbMemory(Ebb("EBB_URL", "EBB_KEY"), llm=model)  # model: your own
agent = Agent(role="assistant", goal="Help", backstory="You are helpful.", llm=model)
task = Task(description="What do I like to eat?", expected_output="A food", agent=agent)
print(Crew(agents=[agent], tasks=[task], memory=memory).kickoff().raw)""",
    ),
    Host(
        "mem0",
        "mem0",
        _("With mem0's own client (pip install mem0ai):"),
        """from mem0 import MemoryClient

client = MemoryClient(host="EBB_URL/mem0", api_key="EBB_KEY")
client.add([{"role": "user", "content": "I like pizza"}], user_id="alice")
found = client.search("What do I like to eat?", filters={"user_id": "alice"})
print(found["results"][0]["memory"])""",
    ),
)


def first_texts(url: str, key: str) -> list[tuple[Host, str]]:
    """Return the programs shown first, each with its text."""
    return [(host, host.filled(url, key)) for host in HOSTS if host.name in _FIRST]
