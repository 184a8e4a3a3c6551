"""Server-sent events on the wire."""

from collections.abc import AsyncGenerator, AsyncIterator

from django.http import StreamingHttpResponse


def event(name: str, data: str) -> bytes:
    """One event; each line of the data stands on a `data:` line of its own."""
    lines = "".join(f"data: {line}\n" for line in data.split("\n"))
    return f"event: {name}\n{lines}\n".encode()


def event_stream(events: AsyncIterator[bytes] | AsyncGenerator[bytes]) -> StreamingHttpResponse:
    """A response that no proxy holds back."""
    response = StreamingHttpResponse(events, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response
