"""JSON API of the function tools, for programs that let a model call them."""

from typing import Annotated, Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Body, Field, Router
from pydantic import WithJsonSchema

from accounts.authentication import access_to
from accounts.limits.rate_limits import CallKind, count_call
from foundation.http.requests import may_fail
from memory.tools import TOOLS, Caller, ToolAnswer, tool_named, without_user
from memory.tools.schemas import ToolAnswerOut, ToolList

router = Router(tags=["tools"])

ToolName = Annotated[str, Field(json_schema_extra={"enum": list(TOOLS)})]
ToolArguments = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {
            "description": "The arguments of the tool.",
            "examples": [{"query": "What does the user eat?"}],
            # Each once: some tools take the same arguments.
            "anyOf": [
                arguments.model_json_schema()
                for arguments in dict.fromkeys(tool.arguments for tool in TOOLS.values())
            ],
        }
    ),
]


@router.get("tools", response=ToolList, url_name="tools_list", operation_id="listTools")
def list_tools(request: HttpRequest) -> dict[str, object]:
    """List the tools as OpenAI function specs, ready to pass to a model."""
    access_to(request, "read")
    return {"items": [tool.spec for tool in TOOLS.values()], "next": None}


@router.post(
    "tools/{name}",
    response=ToolAnswerOut,
    url_name="tools_call",
    operation_id="callTool",
    openapi_extra=may_fail(409, 503),
)
def call_tool(request: HttpRequest, name: ToolName, arguments: Body[ToolArguments]) -> ToolAnswer:
    """Call a tool with the arguments that a model gave. Return `text` to the model.

    A program may add `user_id` and `timezone` to the arguments.
    """
    tool = tool_named(name)
    user_id, own = without_user(arguments)
    access = access_to(request, tool.scope, user_id)
    now = access.here(timezone.now(), own.pop("timezone", None))
    count_call(access, CallKind.SEARCH, now=now)
    caller = Caller(access.space, access.actor, now, reader=access.reader, person=access.person)
    return tool.call(caller, own)
