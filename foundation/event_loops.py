"""Event loops in which threads wait for model endpoints.

One shared loop makes each waiting thread cheap and keeps the connections to the models open. Only
in a loop does a time limit cover a whole answer, however slowly its bytes come.
"""

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

_starting = threading.Lock()


def wait_for(answer: Coroutine[Any, Any, T], *, of: str = "models") -> T:
    """Return the answer; block this thread until then. `of` names the loop.

    A loop's own code must not wait for an answer of the same loop.
    """
    with _starting:
        loop = _loop(of)
    return asyncio.run_coroutine_threadsafe(answer, loop).result()


@cache
def _loop(name: str) -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=name, daemon=True).start()
    return loop
