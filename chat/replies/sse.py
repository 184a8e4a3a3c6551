"""Encodes server-sent events."""

import re
from collections.abc import AsyncGenerator, AsyncIterator

import orjson
from django.http import StreamingHttpResponse

_LINE_END = re.compile("\r\n|\r|\n")


def event(name: str, data: str) -> bytes:
    """Encode one event, with a `data:` line for each line of the data; a lone carriage return
    ends a line, too."""
    lines = "".join(f"data: {line}\n" for line in _LINE_END.split(data))
    return f"event: {name}\n{lines}\n".encode()


def token_event(text: str) -> bytes:
    """Encode the event of a piece of a reply. This happens thirty times a second for each
    person.
    """
    return b'event: token\ndata: {"text":%b}\n\n' % orjson.dumps(text)


def event_stream(events: AsyncIterator[bytes] | AsyncGenerator[bytes]) -> StreamingHttpResponse:
    """Return a streaming response that proxies do not buffer."""
    response = StreamingHttpResponse(events, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response
