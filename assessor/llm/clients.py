"""The SDK's clients of one endpoint, one for each event loop.

A client's connections belong to the event loop that opened them. The web process and the
worker (foundation.event_loops) each have one loop for life and keep its connections.
"""

import asyncio

import openai

from memory.webhooks.endpoint_clients import endpoint_client

OPENAI_URL = "https://api.openai.com/v1"
CONNECT_TIMEOUT = 10.0  # seconds: a running endpoint accepts at once, but we may be busy


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
        client = endpoint_client(connect=CONNECT_TIMEOUT, public_only=self._public_only)
        return openai.AsyncOpenAI(
            base_url=self._base_url,
            api_key=self._api_key,
            max_retries=0,
            timeout=client.timeout,
            http_client=client,
        )
