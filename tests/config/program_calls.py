"""Every call of a program at /v1/, /mem0/ and /mcp, by its name in roles.txt."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2
from asgiref.sync import async_to_sync
from django.test import Client

from accounts.models import Space
from endpoints.mcp import prompts, resources
from endpoints.mcp.endpoint import McpEndpoint
from endpoints.mem0.endpoint import ROUTES, refuse
from endpoints.openai import api as openai_api
from memory.tools import TOOLS
from tests.config.role_table import mark_of
from tests.memory.writing import remember

MEMORY = str(uuid4())
"""In a body: a memory of the space that all share."""

# What a call is well made with, by the operation, the function that answers it, or the tool.
BODIES: dict[str, Any] = {
    "createEmbedding": {"model": "all-MiniLM-L6-v2", "input": "pizza"},
    "createChatCompletion": {"model": "ebb", "messages": [{"role": "user", "content": "Hello"}]},
    "createResponse": {"model": "ebb", "input": "Hello", "store": False},
    "search": {"query": "pizza"},
    "list_memories": {},
    "add": {"messages": [{"role": "user", "content": "I like pizza"}], "infer": False},
    "update_memory": {"text": "User likes pasta"},
    "update_batch": {"memories": [{"memory_id": MEMORY, "text": "User likes pasta"}]},
    "delete_batch": {"memories": [{"memory_id": MEMORY}]},
}
ARGUMENTS: dict[str, Any] = {
    "remember": {"content": "User likes tea"},
    "memory_write": {"content": "User likes tea", "importance": 0.5},
    "search_memories": {"query": "pizza"},
    "memory_search": {"query": "pizza"},
    "update_memory": {"memory_id": MEMORY, "content": "User likes pasta"},
    "memory_read": {"memory_id": MEMORY},
    "forget": {"memory_id": MEMORY},
    "recall": {"about": "pizza"},
    "about_me": {},
}


@dataclass(frozen=True)
class Program:
    """A call: its name in the table, where it goes, and its body."""

    name: str
    method: str
    path: str
    body: Any = None

    def mark(self, client: Client, space: Space) -> str:
        """Call, with a new memory, and return the mark of the answer."""
        memory = str(remember(space, f"User likes pizza {uuid4()}").pk)
        remember(space, f"Ann likes pizza {uuid4()}", user_id="ann")
        body = json.dumps(self.body or {}).replace(MEMORY, memory).replace("{id}", memory)
        if self.path == "/mcp":
            return _mcp_mark(client, body)
        path = self.path
        for part, value in {
            "{memory_id}": memory, "{event_id}": memory, "{id}": memory, "{model}": "ebb",
            "{entity_type}": "user", "{path:name}": "ann", "{path:wanted}": "v1/stats",
        }.items():  # fmt: skip
            path = path.replace(part, value)
        query = "?agent_id=none" if path == "/mem0/v1/memories" else ""
        sent = "" if self.method == "GET" else body
        return mark_of(client.generic(self.method, path + query, sent, "application/json"))


def programs() -> list[Program]:
    """Every operation of /v1/, every line of mem0's routes, every tool, resource and prompt."""
    found = [
        Program(name := one["operationId"], method.upper(), path, BODIES.get(name))
        for path, methods in openai_api.get_openapi_schema()["paths"].items()
        for method, one in methods.items()
    ]
    found += [
        Program(f"{method}:{path}", method, f"/mem0/{path}", BODIES.get(answer.__name__))
        for method, path, answer in [*ROUTES, ("GET", "{path:wanted}", refuse)]
    ]
    found += [_mcp(one, "tools/call", name=one, arguments=ARGUMENTS[one]) for one in TOOLS]
    uris = [*(one.uri for one in resources.LISTED), resources.ONE.uri_template]
    found += [_mcp(uri, "resources/read", uri=uri) for uri in uris]
    names = [one.name for one in prompts.LISTED]
    return found + [_mcp(one, "prompts/get", name=one, arguments=ARGUMENTS[one]) for one in names]


def _mcp(called: str, method: str, /, **params: Any) -> Program:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return Program(called, "POST", "/mcp", body)


@async_to_sync
async def _mcp_answer(headers: dict[str, str], body: str) -> httpx2.Response:
    transport = httpx2.ASGITransport(app=McpEndpoint(None))
    accepted = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    async with httpx2.AsyncClient(transport=transport, base_url="http://testserver") as client:
        return await client.post("/mcp", headers=headers | accepted, content=body)


def _mcp_mark(client: Client, body: str) -> str:
    """Return the mark of an answer, in which a refusal is the text of a result or an error."""
    secret = client.defaults.get("HTTP_AUTHORIZATION")
    headers = {"Authorization": secret} if secret else {}
    cookies = "; ".join(f"{name}={one.value}" for name, one in client.cookies.items())
    answer = _mcp_answer(headers | {"Cookie": cookies}, body)
    if answer.status_code != 200:
        return {401: "?", 403: "-"}[answer.status_code]
    said = answer.json()
    text = json.dumps(said["error"]["message"] if "error" in said else said["result"])
    return "-" if "forbidden: " in text else "0" if "not_found: " in text else "+"
