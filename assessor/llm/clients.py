"""The SDK's clients of one endpoint, one for each event loop.

A client's connections belong to the event loop that opened them. The web process and the
worker (assessor.model_loop) each have one loop for life and keep its connections.
"""

import asyncio
import ssl
from functools import cache

import httpx2
import openai

from memory.webhooks.public_transport import AsyncPublicTransport

OPENAI_URL = "https://api.openai.com/v1"
CONNECT_TIMEOUT = 10.0  # seconds: a running endpoint accepts at once, but we may be busy
# Every request checks each idle connection. With the SDK's limit of 100 and two hundred
# simultaneous streams, these checks were a sixth of the streams' cost.
CONNECTIONS = httpx2.Limits(max_connections=1000, max_keepalive_connections=20)


class Clients:
    """Clients of the endpoint at `base_url` ("" means OpenAI), called with `api_key`.

    `public_only` refuses private addresses at each request.
    """

    def __init__(self, base_url: str, api_key: str, *, public_only: bool) -> None:
        self._base_url = base_url or OPENAI_URL
        # Ollama and llama.cpp need no key, but the SDK requires one (or looks for one itself).
        self._api_key = api_key or "none"
        self._public_only = public_only
        self._open: dict[asyncio.AbstractEventLoop, openai.AsyncOpenAI] = {}

    def get(self) -> openai.AsyncOpenAI:
        """Return the running loop's client."""
        loop = asyncio.get_running_loop()
        client = self._open.get(loop)
        if client is None:
            # A weak dictionary does not work: a client's connections reference their loop.
            for other in [other for other in self._open if other.is_closed()]:
                del self._open[other]
            client = self._open[loop] = self._new()
        return client

    async def close(self) -> None:
        """Close the running loop's client. `get` then returns a new one."""
        client = self._open.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    def _new(self) -> openai.AsyncOpenAI:
        timeout = httpx2.Timeout(None, connect=CONNECT_TIMEOUT)
        if self._public_only:
            # With a transport of its own, a client ignores the environment's proxies.
            transport = AsyncPublicTransport(verify=_ssl_context(), limits=CONNECTIONS)
            client = openai.DefaultAsyncHttpx2Client(
                timeout=timeout, transport=transport, follow_redirects=False
            )
        else:
            client = openai.DefaultAsyncHttpx2Client(
                timeout=timeout, verify=_ssl_context(), limits=CONNECTIONS
            )
        return openai.AsyncOpenAI(
            base_url=self._base_url,
            api_key=self._api_key,
            max_retries=0,
            timeout=timeout,
            http_client=client,
        )


@cache
def _ssl_context() -> ssl.SSLContext:
    # Loading the certificates takes 35 of the 36 ms that creating a client takes, and each task
    # needs a client.
    return httpx2.create_ssl_context()
