"""Sessions of the MCP SDK's client with a running Ebb."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent, TextResourceContents

from tests.processes import Web


@asynccontextmanager
async def session(
    web: Web, secret: str, mode: str = "auto", user: str | None = None, path: str = "/mcp"
) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {secret}"} | ({"X-Ebb-User": user} if user else {})
    async with (
        httpx2.AsyncClient(headers=headers, timeout=90) as http,
        Client(streamable_http_client(f"{web.url}{path}", http_client=http), mode=mode) as client,
    ):
        yield client


async def said(client: Client, tool: str, **arguments: Any) -> str:
    """Return a tool's answer, after a `!` if it was an error."""
    answer = await client.call_tool(tool, arguments)
    [content] = answer.content
    assert isinstance(content, TextContent)
    return ("! " if answer.is_error else "") + content.text


async def read(client: Client, uri: str) -> str:
    [content] = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text
