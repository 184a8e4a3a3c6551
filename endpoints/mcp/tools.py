"""MCP tools: the function tools of memory/tools, in the form that the protocol requires."""

from typing import Any

from django.utils import timezone
from mcp_types import Tool as McpTool
from mcp_types import ToolAnnotations

from accounts.authentication import Access
from memory.tools import TOOLS, Caller, Tool, ToolAnswer, tool_named

_USER_ID = {
    "type": "string",
    "description": "The user whose memories to use, with the shared ones. Give it only if you were"
    " told a user id. Without it, only the shared memories are used.",
}
_TIMEZONE = {
    "type": "string",
    "description": "The user's IANA time zone, such as Asia/Shanghai, for words such as “tomorrow”."
    " Give it only if you were told it.",
}

# Tools of seed 002 that do nearly the same as others. A model chooses worse if it gets both.
_NEAR_DUPLICATES = {"memory_write", "memory_search"}


def listed(access: Access, *, takes_user: bool, everything: bool) -> list[McpTool]:
    """Return the tools that the scopes allow, near-duplicates only with `everything`."""
    hidden = set[str]() if everything else _NEAR_DUPLICATES
    return [
        _described(tool, takes_user=takes_user)
        for tool in TOOLS.values()
        if tool.scope in access.scopes and tool.name not in hidden
    ]


def called(access: Access, name: str, arguments: dict[str, Any]) -> ToolAnswer:
    """Return a tool's answer; raises Forbidden, InvalidArguments or NotFound."""
    tool = tool_named(name)
    access.require(tool.scope)
    now = access.here(timezone.now(), arguments.pop("timezone", None))
    caller = Caller(access.space, access.actor, now, reader=access.reader, person=access.person)
    return tool.call(caller, arguments)


def _described(tool: Tool[Any], *, takes_user: bool) -> McpTool:
    function = tool.spec["function"]
    schema = function["parameters"]
    added = {"timezone": _TIMEZONE} | ({"user_id": _USER_ID} if takes_user else {})
    schema = schema | {"properties": schema["properties"] | added}
    reads = tool.scope == "read"
    return McpTool(
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize(),
        description=function["description"],
        input_schema=schema,
        output_schema=tool.answers.model_json_schema(mode="serialization"),
        # Changes and deletions can be undone: nothing is destroyed.
        annotations=ToolAnnotations(
            read_only_hint=reads,
            destructive_hint=False,
            idempotent_hint=reads,
            open_world_hint=False,
        ),
    )
