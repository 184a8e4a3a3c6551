"""Tools called as by a model, for the tests of them."""

from typing import Any

from accounts.models import Space
from foundation.actors import Actor
from memory.tools import Caller, ToolAnswer, tool_named
from tests.memory.writing import NOW

MODEL = Actor("assistant", "some-model")
NAMES = [
    "remember", "search_memories", "update_memory", "forget",
    "memory_write", "memory_read", "memory_search",
]  # fmt: skip


def call(space: Space, name: str, **arguments: Any) -> ToolAnswer:
    return tool_named(name).call(Caller(space, MODEL, NOW, "talk-1"), arguments)
