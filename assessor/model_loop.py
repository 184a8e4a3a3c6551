"""The event loop in which all threads of a worker wait for models.

One shared loop makes each waiting thread cheap and keeps the connections to the models open.
"""

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

_starting = threading.Lock()


def wait_for(answer: Coroutine[Any, Any, T]) -> T:
    """Return the answer of a model; block this thread until then."""
    with _starting:
        loop = _loop()
    return asyncio.run_coroutine_threadsafe(answer, loop).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="models", daemon=True).start()
    return loop
