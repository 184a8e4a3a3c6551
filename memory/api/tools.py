"""JSON API: the function tools, for programs that let a model call them."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Body, Router

from memory.authentication import access_to
from memory.schemas import ToolAnswerOut, ToolList
from memory.tools import TOOLS, Caller, ToolAnswer, tool_named

router = Router(tags=["tools"])


@router.get("tools", response=ToolList, url_name="tools_list", operation_id="listTools")
def list_tools(request: HttpRequest) -> dict[str, object]:
    """The tools as OpenAI function specs, to be handed to a model as they are."""
    access_to(request, "read")
    return {"items": [tool.spec for tool in TOOLS.values()], "next": None}


@router.post("tools/{name}", response=ToolAnswerOut, url_name="tools_call", operation_id="callTool")
def call_tool(request: HttpRequest, name: str, arguments: Body[dict[str, Any]]) -> ToolAnswer:
    """Call a tool with the arguments that a model gave; `text` is what to answer the model."""
    tool = tool_named(name)
    access = access_to(request, tool.scope)
    return tool.call(Caller(access.space, access.actor, timezone.now()), arguments)
