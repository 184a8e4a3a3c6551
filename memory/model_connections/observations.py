"""Facts that Ebb has observed about models, in the cache that all processes share.

They belong to an address and a model's name, so that the environment's models have some, too.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from typing import Any, Literal

from django.core.cache import cache

from foundation.database.connections import in_last_thread, in_thread
from memory.model_connections.choosing import ModelConfiguration
from memory.model_connections.usage import ModelCall

Fact = Literal["calls_tools", "seconds", "replying"]
LONGEST_WAIT = 60  # seconds that an assessment waits for replies
POLL = 0.2  # seconds
LATELY = 24 * 3600  # seconds for which a speed counts


def observe(
    model: ModelConfiguration, fact: Fact, value: float, *, lasts: int | None = None
) -> None:
    """Store a fact, for so many seconds if it does not last."""
    cache.set(_key(model, fact), value, timeout=lasts)


def observed(model: ModelConfiguration, fact: Fact) -> Any:
    """Return the fact, None if it is unknown."""
    return cache.get(_key(model, fact))


def observe_speed(model: ModelConfiguration, calls: Sequence[ModelCall]) -> None:
    """Store how long the model took. A failure shows at most that it takes longer."""
    for call in calls:
        known = observed(model, "seconds") if call.failed else None
        observe(model, "seconds", max(call.seconds or 0.0, known or 0.0), lasts=LATELY)


@asynccontextmanager
async def replying(model: ModelConfiguration) -> AsyncGenerator[None]:
    """Let assessments by the same server wait for this reply.

    A server without a key is somebody's own, and most of them answer one request at a time.
    """
    if model["api_key"]:
        yield
        return
    server: ModelConfiguration = {**model, "model": ""}
    told = asyncio.ensure_future(
        in_thread(observe, server, "replying", value=True, lasts=LONGEST_WAIT)
    )
    try:
        await asyncio.shield(told)
        yield
    finally:  # also if the reader disconnects now
        await asyncio.shield(_forgotten(told, _key(server, "replying")))


async def _forgotten(told: asyncio.Future[None], key: str) -> None:
    """Delete the key once it is certainly written."""
    await told
    await in_last_thread(cache.delete, key)


async def replies_end(model: ModelConfiguration) -> None:
    """Wait until the model's server writes no reply, at most LONGEST_WAIT."""
    server: ModelConfiguration = {**model, "model": ""}
    with suppress(TimeoutError):
        async with asyncio.timeout(LONGEST_WAIT):
            while not model["api_key"] and await in_thread(observed, server, "replying"):
                await asyncio.sleep(POLL)


def _key(model: ModelConfiguration, fact: str) -> str:
    named = f"{model['base_url']} {model['model']}"
    return f"{fact}-{sha256(named.encode()).hexdigest()}"
