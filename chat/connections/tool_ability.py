"""The ability of a model to answer with native tool calls, found out by its latest trial.

An untried model counts as unable.
"""

import asyncio
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from accounts.models import Space
from assessor.llm import ChatMessage, ModelError, ToolCall, trial_session
from foundation import queue
from memory.model_connections.choosing import ChosenModel, ModelConfiguration
from memory.model_connections.observations import observe, observed

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


def calls_tools(space: Space, chosen: ChosenModel) -> bool:
    """Return whether the space's chat model calls tools. A worker tries an untried one."""
    able: bool | None = observed(chosen.configuration, "calls_tools")
    if able is None:
        observe(chosen.configuration, "calls_tools", value=False, lasts=PAUSE)
        queue.enqueue(TASK, space.pk, chosen.model)
    return bool(able)


def try_tools(model: ModelConfiguration) -> None:
    """Try the model; an error leaves it untried."""
    with suppress(ModelError, TimeoutError):
        observe(model, "calls_tools", value=asyncio.run(_tried(model)))


async def _tried(configuration: ModelConfiguration) -> bool:
    async with trial_session(configuration) as model, asyncio.timeout(TIMEOUT):
        able, _said = await call_tool(model)
        return able


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
