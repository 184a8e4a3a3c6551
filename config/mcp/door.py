"""Before Django: requests to /mcp, each checked and then handed to the SDK's transport.

The transport is stateless, so that any web process answers any request, and lives as long as one
request: nothing has to be started or stopped with the process. The SDK is imported with the first
request that has a key; it takes half a second and 35 MB, and many never use it.
"""

from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse

from config.errors import problem
from memory.authentication import Access, BearerKey
from memory.connections import in_thread

PATHS = ("/mcp", "/mcp/")


class McpDoor:
    """ASGI: answers at /mcp and leaves every other address to the application behind it."""

    def __init__(self, behind: Any) -> None:
        self._behind = behind

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] not in PATHS:
            await self._behind(scope, receive, send)
            return
        caller = await in_thread(_let_in, scope)
        if isinstance(caller, HttpResponse):
            await _send(caller, send)
            return
        from config.mcp.server import transport  # loaded by _let_in, beside the event loop

        manager = transport()
        async with manager.run():
            await manager.handle_request({**scope, "state": {"access": caller}}, receive, send)


def _let_in(scope: Any) -> Access | HttpResponse:
    """The caller, or the answer to somebody who may not come in."""
    request = ASGIRequest(scope, BytesIO())
    try:
        host = request.get_host()
    except DisallowedHost as error:
        return problem(400, "bad_request", "Bad request", str(error))
    if request.method != "POST":  # there are no sessions to listen to or to end
        refused = problem(405, "method_not_allowed", "Method not allowed", "Only POST is served.")
        refused.headers["Allow"] = "POST"
        return refused
    origin = request.headers.get("Origin")
    if origin and urlsplit(origin).netloc != host and origin not in settings.CSRF_TRUSTED_ORIGINS:
        # The protocol asks for this: a page elsewhere may not talk to a server on this machine.
        return problem(403, "forbidden", "Not allowed", "This origin may not call.")
    access: Access | None = BearerKey()(request)
    if access is None:
        return problem(401, "unauthorized", "Who are you?", "Unauthorized")
    import config.mcp.server  # noqa: F401 - here, because it takes long

    return access


async def _send(response: HttpResponse, send: Any) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    headers.append((b"content-length", str(len(response.content)).encode()))
    status = response.status_code
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})
