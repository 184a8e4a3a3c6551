"""pydantic-ai: a toolset, a history processor that recalls, and a function that learns."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai import ModelRetry, RunContext, ToolDefinition
from pydantic_ai.messages import ModelMessage, ModelRequest, SystemPromptPart, UserPromptPart
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from ebb_client.async_client import AsyncEbb
from ebb_client.errors import EbbError
from ebb_client.for_models import CHAT_TOOLS, async_notes
from ebb_client.inputs import ExchangeOptions

_OURS = {"by": "ebb"}
_ARGUMENTS = SchemaValidator(core_schema.dict_schema())  # Ebb validates them
_RETRIES = 2


class EbbToolset(AbstractToolset[Any]):
    """Ebb's tools of these names. A refused call asks the model to correct it."""

    def __init__(self, ebb: AsyncEbb, names: Iterable[str] = CHAT_TOOLS) -> None:
        self._ebb = ebb
        self._names = set(names)
        self._specs: list[dict[str, Any]] | None = None

    @property
    def id(self) -> str:
        """The name of the toolset."""
        return "ebb"

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """Return the tools by name. The first call asks Ebb for them."""
        if self._specs is None:
            self._specs = [spec["function"] for spec in await self._ebb.tools()]
        return {
            spec["name"]: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=spec["name"],
                    description=spec["description"],
                    parameters_json_schema=spec["parameters"],
                ),
                max_retries=_RETRIES,
                args_validator=_ARGUMENTS,
            )
            for spec in self._specs
            if spec["name"] in self._names
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> str:
        """Return the tool's answer. Raises ModelRetry if the model can correct the call."""
        try:
            return (await self._ebb.call_tool(name, tool_args))["text"]
        except EbbError as error:
            if error.status not in {404, 409, 422}:
                raise
            raise ModelRetry(f"{error.code}: {error.detail}") from error


def recall_memories(
    ebb: AsyncEbb,
) -> Callable[[list[ModelMessage]], Awaitable[list[ModelMessage]]]:
    """Return a history processor that adds the memories for the latest user prompt to the request,
    as a system prompt for this request only."""

    async def recall(messages: list[ModelMessage]) -> list[ModelMessage]:
        *earlier, last = messages
        if not isinstance(last, ModelRequest) or any(_is_ours(part) for part in last.parts):
            return messages
        notes = await async_notes(ebb, _prompt_of(messages))
        if not notes:
            return messages
        part = SystemPromptPart(notes, scope="request", metadata=_OURS)
        return [*earlier, replace(last, parts=[part, *last.parts])]

    return recall


async def remember_run(
    ebb: AsyncEbb, result: AgentRunResult[Any], *, conversation_id: str | None = None
) -> None:
    """Send the prompt and the output of a run to be assessed."""
    said = _prompt_of(result.new_messages())
    if said.strip():
        known: ExchangeOptions = {}
        if conversation_id is not None:
            known["conversation_id"] = conversation_id
        await ebb.queue_assessment(said, str(result.output), **known)


def _is_ours(part: object) -> bool:
    return isinstance(part, SystemPromptPart) and part.metadata == _OURS


def _prompt_of(messages: Sequence[ModelMessage]) -> str:
    """Return the text of the latest user prompt, or an empty text."""
    parts = [part for message in messages for part in message.parts]
    prompts = [part for part in parts if isinstance(part, UserPromptPart)]
    if not prompts:
        return ""
    content = prompts[-1].content
    if isinstance(content, str):
        return content
    return "\n".join(part for part in content if isinstance(part, str))
