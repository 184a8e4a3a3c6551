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
        description="Save a fact about the user, or something they ask to keep, for later "
        "conversations. Use it when the user tells something lasting: a "
        "preference, plan, relation or decision. Do not use it for small talk or "
        "for facts that search_memories already returned; to correct one of "
        "those, use update_memory.",
        arguments=Remember,
        scope="write",
        handler=writing.remember,
    ),
    Tool(
        name="search_memories",
        description="Search memories from earlier conversations. Use it when an answer "
        "depends on what the user said before. Do not use it for general "
        "knowledge. Each line of the result has the date, the memory, its match "
        "and its id.",
        arguments=Search,
        scope="read",
        handler=reading.search_memories,
    ),
    Tool(
        name="update_memory",
        description="Change the text or tags of a memory that became wrong or incomplete. "
        "Use it with an id from search_memories. Do not use it to save something "
        "new; use remember.",
        arguments=UpdateMemory,
        scope="write",
        handler=writing.update_memory,
    ),
    Tool(
        name="forget",
        description="Move a memory to the recycle bin. Use it when the user asks to forget "
        "something, with an id from search_memories. Do not use it when a fact "
        "only changed; use update_memory.",
        arguments=OneMemory,
        scope="write",
        handler=writing.forget,
    ),
    Tool(
        name="memory_write",
        description="Save a memory with an explicit type and, if needed, importance. Use it "
        "only when you know the type. Otherwise use remember.",
        arguments=MemoryWrite,
        scope="write",
        handler=writing.memory_write,
    ),
    Tool(
        name="memory_read",
        description="Read one memory with its type and importance. Use it when you have an "
        "id. To look for memories by words, use memory_search.",
        arguments=OneMemory,
        scope="read",
        handler=reading.memory_read,
    ),
    Tool(
        name="memory_search",
        description="Search memories ranked by meaning and importance. Use it when you need "
        "types and scores. For plain answers use search_memories. Each line has "
        "the type, importance and score.",
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
        raise NotFound(f"Unknown tool. Available tools: {', '.join(TOOLS)}.") from None
