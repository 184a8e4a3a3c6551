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
        description="Save a lasting fact about the user, or what they ask you to remember, as a "
        "sentence: “User has a dog”.",
        arguments=Remember,
        scope="write",
        handler=writing.remember,
    ),
    Tool(
        name="search_memories",
        description="Look up what the user told you in earlier conversations.",
        arguments=Search,
        scope="read",
        handler=reading.search_memories,
        answers=SearchOut,
    ),
    Tool(
        name="update_memory",
        description="Correct a memory that is wrong or outdated, by its id from search_memories.",
        arguments=UpdateMemory,
        scope="write",
        handler=writing.update_memory,
    ),
    Tool(
        name="forget",
        description="Delete a memory if the user asks, by its id from search_memories.",
        arguments=OneMemory,
        scope="write",
        handler=writing.forget,
    ),
    Tool(
        name="memory_write",
        description="Save a memory with the type and importance that are given. Else use remember.",
        arguments=MemoryWrite,
        scope="write",
        handler=writing.memory_write,
    ),
    Tool(
        name="memory_read",
        description="Open one memory by its id, with type and importance.",
        arguments=OneMemory,
        scope="read",
        handler=reading.memory_read,
    ),
    Tool(
        name="memory_search",
        description="List, rank and compare memories by importance and score. For answers, use "
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
