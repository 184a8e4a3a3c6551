"""The ability of a model to answer with native tool calls, found out by its latest trial.

The cache that all processes share stores it, by address and model: a model at a new address, or of
the environment, is tried like any other. An untried model counts as unable.
"""

import asyncio
import hashlib
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.core.cache import cache
from django.utils.translation import gettext as _

from assessor.llm import ChatMessage, ModelError, ToolCall, trial_session
from foundation import queue
from memory.model_connections.choosing import ModelConfiguration

if TYPE_CHECKING:
    from assessor.llm.openai_compatible import OpenAICompatibleModel

TASK = "chat.tasks.try_tools"
PAUSE = 600  # seconds between two trials of a model that gives no answer
TIMEOUT = 60.0  # seconds: a local model may have to be loaded first
MOST_PIECES = 100  # of a text instead of a call
SCHEMA = {
    "type": "object",
    "properties": {"ready": {"type": "boolean"}},
    "required": ["ready"],
    "additionalProperties": False,
}
TOOL = {
    "type": "function",
    "function": {
        "name": "report_ready",
        "description": "Report that you are ready.",
        "parameters": SCHEMA,
    },
}


def record_ability(configuration: ModelConfiguration, *, able: bool) -> None:
    """Store whether the model calls tools."""
    cache.set(_key(configuration), able, timeout=None)


def try_tools(configuration: ModelConfiguration) -> None:
    """Try the model unless it was tried before; an error leaves it untried."""
    if cache.get(_key(configuration)) is None:
        try:
            able, _said = asyncio.run(_tried(configuration))
        except (ModelError, TimeoutError):
            return
        record_ability(configuration, able=able)


@dataclass(frozen=True)
class ToolAbility:
    """The ability of a space's chat model; `name` is a conversation's own model, "" for none."""

    space_id: int
    name: str
    configuration: ModelConfiguration = field(repr=False)

    def is_able(self) -> bool:
        """Return whether the model calls tools. A worker tries an untried one."""
        able: bool | None = cache.get(_key(self.configuration))
        if able is None and cache.add(f"{_key(self.configuration)}-asked", True, timeout=PAUSE):
            queue.enqueue(TASK, self.space_id, self.name)
        return bool(able)


async def call_tool(model: "OpenAICompatibleModel") -> tuple[bool, str]:
    """Return whether the model called the one tool that it was asked to call, in words too."""
    question = ChatMessage("user", "Call the tool report_ready with ready set to true.")
    pieces = 0
    async with aclosing(model.stream([question], tools=[TOOL])) as chunks:
        async for chunk in chunks:
            if isinstance(chunk, ToolCall):
                return True, _("The model called a tool.")
            pieces += 1
            if pieces > MOST_PIECES:  # small models write without end
                break
    return False, _("No tool was called.")


async def _tried(configuration: ModelConfiguration) -> tuple[bool, str]:
    async with trial_session(configuration) as model, asyncio.timeout(TIMEOUT):
        return await call_tool(model)


def _key(configuration: ModelConfiguration) -> str:
    named = f"{configuration['base_url']} {configuration['model']}"
    return "tools-" + hashlib.sha256(named.encode()).hexdigest()
