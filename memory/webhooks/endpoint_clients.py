"""The HTTP client for endpoints of models: chat, assessment and embeddings.

An endpoint may be hostile, or somebody else may answer in its place. So the client follows no
redirect and limits the size of an answer. The caller limits the time.
"""

import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import cache
from typing import Any

import httpx2

from memory.webhooks.public_transport import AsyncPublicTransport

MOST_BYTES = 64 * 2**20
"""Maximum size of an answer after decompression. A stream of 100,000 tokens has about 30 MB."""
MOST_ERROR_BYTES = 64 * 2**10
"""Bytes of a refusal that are read, to find its cause."""
# Every request checks each idle connection. With the SDK's limit of 100 and two hundred
# simultaneous streams, these checks were a sixth of the streams' cost.
_CONNECTIONS = httpx2.Limits(max_connections=1000, max_keepalive_connections=20)


def endpoint_client(*, connect: float, public_only: bool) -> httpx2.AsyncClient:
    """Return a client for one event loop. `connect` limits the seconds to connect.

    `public_only` refuses private addresses at each request. Such a client ignores the environment's
    proxies, because they would resolve the name again.
    """
    network: dict[str, Any] = {"verify": _ssl_context(), "limits": _CONNECTIONS}
    if public_only:
        network = {"transport": AsyncPublicTransport(**network)}
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=connect),
        follow_redirects=False,
        event_hooks={"response": [_limit]},
        **network,
    )


async def _limit(response: httpx2.Response) -> None:
    """Limit the size of an answer, and read its text as UTF-8. A codec that an endpoint names could
    decompress."""
    response.stream = _Limited(
        httpx2.Response(response.status_code, headers=response.headers, stream=response.stream)
    )
    response.headers.pop("content-encoding", None)
    response.encoding = "utf-8"


class _Limited(httpx2.AsyncByteStream):
    """The decompressed answer, piece by piece. Raises DecodingError if it is too large, but cuts a
    refusal off."""

    def __init__(self, received: httpx2.Response) -> None:
        self._received = received

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        most = MOST_BYTES if self._received.is_success else MOST_ERROR_BYTES
        size = 0
        async with aclosing(self._received.aiter_bytes()) as pieces:
            async for piece in pieces:
                size += len(piece)
                if size > most and self._received.is_success:
                    raise httpx2.DecodingError(f"longer than {most} bytes")
                yield piece
                if size > most:
                    return

    async def aclose(self) -> None:
        await self._received.aclose()


@cache
def _ssl_context() -> ssl.SSLContext:
    # Loading the certificates takes 35 of the 36 ms that creating a client takes, and each task
    # needs a client.
    return httpx2.create_ssl_context()
