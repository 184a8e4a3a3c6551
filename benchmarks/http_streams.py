"""A bare HTTP client that notes when a stream's first token arrives.

Both sides of a comparison use this client, so its own cost cancels out. An ordinary client would
cost more than the difference to measure.
"""

import asyncio
import json
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Target:
    """A request, and the bytes that mark its first token and its proper end."""

    url: str
    headers: dict[str, str]
    body: dict[str, Any]
    token: bytes
    end: bytes


async def first_token_ms(target: Target) -> float | None:
    """Return the ms from before the connection opens to the first token; None if the stream failed.

    Returns when the stream has ended, so that no work of this stream disturbs the next one.
    """
    times = await stream_ms(target)
    return times and times[0]


async def stream_ms(target: Target, *, timeout: float = 60.0) -> tuple[float, float] | None:
    """Return the ms from before the connection opens to the first token and to the end.

    None if the stream failed.
    """
    started = perf_counter()
    try:
        async with asyncio.timeout(timeout):
            return await _read(target, started)
    except (OSError, TimeoutError):
        return None


async def _read(target: Target, started: float) -> tuple[float, float] | None:
    address = urlsplit(target.url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        writer.write(_request(target))
        # Kept whole: a token's mark may be cut in two by the network.
        received, first = bytearray(), None
        while part := await reader.read(65536):
            received += part
            if first is None and target.token in received:
                first = (perf_counter() - started) * 1000
        if first is None or target.end not in received:
            return None
        return first, (perf_counter() - started) * 1000
    finally:
        writer.close()


def _request(target: Target) -> bytes:
    address, body = urlsplit(target.url), json.dumps(target.body).encode()
    headers = {
        "Host": address.netloc,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **target.headers,
    }
    lines = [f"POST {address.path} HTTP/1.1", *(f"{n}: {v}" for n, v in headers.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
