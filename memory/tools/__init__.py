"""Function tools by which a model uses memories: one registry for all APIs that offer them.

A tool is one entry in TOOLS: a description for models, its arguments (`arguments.py`), and a
handler that calls the services (`reading.py`, `writing.py`). This package does not depend on HTTP.
"""

from typing import Any

from foundation.errors import NotFound
from memory.memories.schemas import SearchOut
from memory.tools import reading, writing
from memory.tools.arguments import (
    MemoryWrite,
    OneMemory,
    Remember,
    Search,
    UpdateMemory,
    without_user,
)
from memory.tools.base import TOOL, Caller, Tool, ToolAnswer, refusal

__all__ = [
    "TOOL", "TOOLS", "Caller", "Tool", "ToolAnswer", "refusal", "tool_named", "without_user",
]  # fmt: skip

_TOOLS: tuple[Tool[Any], ...] = (
    Tool(
        name="remember",
        description="Save a new fact about the user for later conversations. Use it when the user "
        "says something lasting, such as a preference, a plan, a relation or a decision, or "
        "asks you to keep something: “Remember that my son's name is Tom”, “Keep in mind "
        "that I don't drink”, “From now on I live alone”, “I decided to move in May, note "
        "that down”, “I love jazz, remember it”. Do not use it for small talk or for facts "
        "that search_memories already returned; to correct one of those, use update_memory.",
        arguments=Remember,
        scope="write",
        handler=writing.remember,
    ),
    Tool(
        name="search_memories",
        description="Search what the user said in earlier conversations. Use it when an answer "
        "depends on something the user told you before: “What did I tell you about my "
        "job?”, “Do you remember where I work?”, “Which film did I say I liked?”, “Have I "
        "ever mentioned what I drink?”. Do not use it for general knowledge. Each line of "
        "the result has the date, the memory, its match and its id.",
        arguments=Search,
        scope="read",
        handler=reading.search_memories,
        answers=SearchOut,
    ),
    Tool(
        name="update_memory",
        description="Correct the text or the tags of a saved memory, with an id from "
        "search_memories. Use it when a memory is wrong, outdated or incomplete: “The job "
        "you have saved is wrong, correct it”, “That memory is outdated, update it”, "
        "“Change the year in that memory to 2021”. Do not use it to save something new; use "
        "remember.",
        arguments=UpdateMemory,
        scope="write",
        handler=writing.update_memory,
    ),
    Tool(
        name="forget",
        description="Move a memory to the recycle bin, with an id from search_memories. Use it "
        "when the user asks you to forget or delete something: “Forget my old address”, "
        "“Delete what I said about my boss”, “Get rid of that memory”. Do not use it when a "
        "fact only changed; use update_memory.",
        arguments=OneMemory,
        scope="write",
        handler=writing.forget,
    ),
    Tool(
        name="memory_write",
        description="Save a memory with a type and an importance that you set. Use it when the "
        "type or the importance is given: “Save this as a goal with importance 0.9”, "
        "“Record it as a fact with low importance”. Do not use it otherwise; use remember.",
        arguments=MemoryWrite,
        scope="write",
        handler=writing.memory_write,
    ),
    Tool(
        name="memory_read",
        description="Read one memory by its id, with its type and importance. Use it when you "
        "have an id: “Open memory 3f2a91bc”, “I have the id 77e0d1f4, read it”. Do not use "
        "it to look for memories by words; use search_memories.",
        arguments=OneMemory,
        scope="read",
        handler=reading.memory_read,
    ),
    Tool(
        name="memory_search",
        description="List memories with their types, importance and scores, best first. Use it "
        "when you compare or rank memories: “Rank my memories about sport by importance”, "
        "“Which memories score highest?”. Do not use it for plain answers; use "
        "search_memories.",
        arguments=Search,
        scope="read",
        handler=reading.memory_search,
        answers=SearchOut,
    ),
)

TOOLS = {tool.name: tool for tool in _TOOLS}


def tool_named(name: str) -> Tool[Any]:
    """Return the tool with this name; raises NotFound."""
    try:
        return TOOLS[name]
    except KeyError:
        raise NotFound(f"Unknown tool. Available tools: {', '.join(TOOLS)}.") from None
