"""Release of the database connection before slow work begins."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import connection

P = ParamSpec("P")
T = TypeVar("T")


def release_connection() -> None:
    """Return this thread's connection to the pool, unless a transaction is open on it.

    A model may take a minute; meanwhile no other thread could use the connection.
    """
    if not connection.in_atomic_block:
        connection.close()


async def release_request_connection() -> None:
    """Run `release_connection` on the thread of the current request.

    The view authenticates its caller on that thread. If views kept their connections while waiting
    for a model or for `in_thread`, as many views as there are connections would deadlock.
    """
    await sync_to_async(release_connection)()


_LAST = ThreadPoolExecutor(max_workers=2, thread_name_prefix="last")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run synchronous database work of a stream on a shared thread.

    A request's own thread is released when its stream begins (config.middleware.handler); later
    work borrows a thread only while it runs.
    """
    return await _run(None, lambda: work(*args, **kwargs))


async def in_last_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run the final work of a stream on a small pool of its own, so that it cannot delay new
    streams.

    Replies that used the same memories wait for each other's rows. On the shared threads, two
    hundred ending replies would block all new ones.
    """
    return await _run(_LAST, lambda: work(*args, **kwargs))


async def _run(executor: ThreadPoolExecutor | None, work: Callable[[], T]) -> T:
    def run() -> T:
        try:
            return work()
        finally:
            release_connection()

    return await sync_to_async(run, thread_sensitive=False, executor=executor)()
