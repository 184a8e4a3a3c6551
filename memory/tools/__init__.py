"""Function tools by which a model uses memories: one registry for all APIs that offer them.

A tool is one entry in TOOLS: a description for models, its arguments (`arguments.py`), and a
handler that calls the services (`reading.py`, `writing.py`). This package does not depend on HTTP.
"""

from typing import Any

from memory.errors import NotFound
from memory.tools import reading, writing
from memory.tools.arguments import MemoryWrite, OneMemory, Remember, Search, UpdateMemory
from memory.tools.base import TOOL, Caller, Tool, ToolAnswer, refusal

__all__ = ["TOOL", "TOOLS", "Caller", "Tool", "ToolAnswer", "refusal", "tool_named"]

_TOOLS: tuple[Tool[Any], ...] = (
    Tool(
        name="remember",
        description="Remember something about the user, or something they want kept, for later"
        " conversations. Only what stays useful; what is known already is not stored twice.",
        arguments=Remember,
        scope="write",
        handler=writing.remember,
    ),
    Tool(
        name="search_memories",
        description="Search what is remembered from earlier conversations. Each line of the answer"
        " has the day, the memory, how well it fits, and its id.",
        arguments=Search,
        scope="read",
        handler=reading.search_memories,
    ),
    Tool(
        name="update_memory",
        description="Correct a memory that has become wrong or incomplete: its text, its tags, or"
        " both.",
        arguments=UpdateMemory,
        scope="write",
        handler=writing.update_memory,
    ),
    Tool(
        name="forget",
        description="Forget a memory, because the user wishes it or because it is no longer true.",
        arguments=OneMemory,
        scope="write",
        handler=writing.forget,
    ),
    Tool(
        name="memory_write",
        description="Remember something with its type and, where the type's own does not fit, its"
        " importance.",
        arguments=MemoryWrite,
        scope="write",
        handler=writing.memory_write,
    ),
    Tool(
        name="memory_read",
        description="Read one memory with its type and importance.",
        arguments=OneMemory,
        scope="read",
        handler=reading.memory_read,
    ),
    Tool(
        name="memory_search",
        description="Search memories, the more important ones first where they fit alike. Each"
        " line has the type, the importance and the score.",
        arguments=Search,
        scope="read",
        handler=reading.memory_search,
    ),
)

TOOLS = {tool.name: tool for tool in _TOOLS}


def tool_named(name: str) -> Tool[Any]:
    """Return the tool with this name; raises NotFound."""
    try:
        return TOOLS[name]
    except KeyError:
        raise NotFound(f"There is no such tool. There are: {', '.join(TOOLS)}.") from None
