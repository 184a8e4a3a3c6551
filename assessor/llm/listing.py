"""Lists the models of a server of this machine, whose address nobody entered."""

import asyncio
from typing import Any

import httpx2

from memory.webhooks.endpoint_clients import endpoint_client

TIMEOUT = 2.0  # seconds: a server of this machine answers in milliseconds


async def listed_nearby(base_url: str) -> list[dict[str, Any]]:
    """Return the models that a server lists without a key; [] if there is no such server.

    No proxy is asked: the request must not leave this machine.
    """
    async with endpoint_client(connect=TIMEOUT, public_only=False, proxies=False) as client:
        try:
            async with asyncio.timeout(TIMEOUT):
                answer = await client.get(f"{base_url}/models")
            listed = answer.json()["data"] if answer.status_code == 200 else []
        except (httpx2.HTTPError, TimeoutError, ValueError, KeyError, TypeError):
            return []
    models = listed if isinstance(listed, list) else []
    return [model for model in models if isinstance(model, dict) and model.get("id")]
