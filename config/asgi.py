"""The web application: Django behind ServeStatic and /mcp, with streams that hold no thread."""

import os
from typing import Any

from asgiref.sync import SyncToAsync, sync_to_async
from django.core.handlers.asgi import ASGIHandler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class StreamingASGIHandler(ASGIHandler):
    """Frees what a request holds before its stream begins.

    Django gives each request a thread for synchronous work and keeps it, with its database
    connection, until the last byte is sent. A streamed reply takes as long as a model thinks, so
    both go back first; a stream that needs the database again asks for a moment of a shared thread.
    """

    async def send_response(self, response: Any, send: Any) -> None:
        if response.streaming:
            await _release_request_thread()
        await super().send_response(response, send)


async def _release_request_thread() -> None:
    from django.db import connections

    await sync_to_async(connections.close_all)()
    context = SyncToAsync.thread_sensitive_context.get(None)
    executor = SyncToAsync.context_to_thread_executor.pop(context, None) if context else None
    if executor is not None:
        executor.shutdown(wait=False)


def _application() -> Any:
    import django

    django.setup(set_prefix=False)
    from django.conf import settings
    from servestatic import ServeStaticASGI

    from config.mcp.door import McpDoor

    pages_and_api = ServeStaticASGI(
        StreamingASGIHandler(), root=settings.STATIC_ROOT, prefix=settings.STATIC_URL
    )
    return McpDoor(pages_and_api)


application = _application()
