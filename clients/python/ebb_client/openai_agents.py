"""OpenAI's Agents SDK: a session that learns, an input filter that recalls, memory tools."""

import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from agents import FunctionTool, SessionABC, TResponseInputItem
from agents.memory import Session, SessionSettings
from agents.run import CallModelData, ModelInputData
from agents.tool_context import ToolContext

from ebb_client.async_client import AsyncEbb
from ebb_client.for_models import CHAT_TOOLS, async_notes, joined, tool_text


class EbbSession(SessionABC):
    """A session that also sends each finished exchange to Ebb, which learns from it.

    `history` is any other session: it stores the items, Ebb does not.
    """

    def __init__(self, ebb: AsyncEbb, history: Session) -> None:
        self._ebb = ebb
        self._history = history
        self._said = ""

    @property
    def session_id(self) -> str:  # type: ignore[override]
        """The id of the history, which is also the conversation in Ebb."""
        return self._history.session_id

    @property
    def session_settings(self) -> SessionSettings | None:  # type: ignore[override]
        """The settings of the history."""
        return self._history.session_settings

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the latest items, oldest first."""
        return await self._history.get_items(limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Store the items. A reply without a tool call ends an exchange, which is sent to Ebb."""
        await self._history.add_items(items)
        self._said = _text_of(items, "user") or self._said
        replied = _text_of(items, "assistant")
        calls = any(str(item.get("type", "")).endswith("_call") for item in items)
        if self._said and replied and not calls:
            said, self._said = self._said, ""
            await self._ebb.queue_assessment(said, replied, conversation_id=self.session_id)

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove and return the latest item. Ebb keeps what it has learned."""
        return await self._history.pop_item()

    async def clear_session(self) -> None:
        """Remove all items. Ebb keeps what it has learned."""
        self._said = ""
        await self._history.clear_session()


def recall_filter(ebb: AsyncEbb) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """Return a `call_model_input_filter` that adds the memories for the latest user message to the
    instructions."""

    async def recall(call: CallModelData[Any]) -> ModelInputData:
        data = call.model_data
        notes = await async_notes(ebb, _text_of(data.input, "user"))
        return ModelInputData(data.input, joined(data.instructions, notes) or None)

    return recall


async def memory_tools(ebb: AsyncEbb, names: Iterable[str] = CHAT_TOOLS) -> list[FunctionTool]:
    """Return Ebb's tools of these names."""
    wanted = set(names)
    specs = [spec["function"] for spec in await ebb.tools()]
    return [_tool(ebb, spec) for spec in specs if spec["name"] in wanted]


def _tool(ebb: AsyncEbb, spec: dict[str, Any]) -> FunctionTool:
    async def call(context: ToolContext[Any], arguments: str) -> str:
        try:
            given = json.loads(arguments or "{}")
        except ValueError as error:
            return f"The arguments are not JSON: {error}"
        return await tool_text(ebb, spec["name"], given)

    return FunctionTool(
        name=spec["name"],
        description=spec["description"],
        params_json_schema=spec["parameters"],
        on_invoke_tool=call,
        strict_json_schema=False,
    )


def _text_of(items: Iterable[TResponseInputItem], role: str) -> str:
    """Return the text of the latest message of a role, or an empty text."""
    said = ""
    for item in items:
        if item.get("role") != role:
            continue
        content: Any = item.get("content") or ""
        parts = [content] if isinstance(content, str) else [p.get("text") or "" for p in content]
        said = "\n".join(part for part in parts if part) or said
    return said
