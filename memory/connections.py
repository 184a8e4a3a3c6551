"""Giving the database connection back before something slow begins."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import connection

P = ParamSpec("P")
T = TypeVar("T")


def release_connection() -> None:
    """Returns this thread's connection to the pool, unless a transaction is open on it.

    A model may think for a minute; a connection held meanwhile is one that nobody else can use.
    """
    if not connection.in_atomic_block:
        connection.close()


async def release_request_connection() -> None:
    """`release_connection` on the thread of the request that is being answered.

    A view finds out there who is calling. Before it waits for a model or borrows the threads below
    its connection goes back: as many such views as there are connections would wait for each other.
    """
    await sync_to_async(release_connection)()


_LAST = ThreadPoolExecutor(max_workers=2, thread_name_prefix="last")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs synchronous work with the database from a stream, on a thread shared with all others.

    A request's own thread is given back when its stream begins (config.handler); what it needs
    later it borrows here, for as long as the work takes and no longer.
    """
    return await _run(None, lambda: work(*args, **kwargs))


async def in_last_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """`in_thread` for what ends a stream: it waits for its like, and keeps nobody from beginning.

    Replies that were given the same memories wait for each other's rows. On the common threads two
    hundred that ended would hold up all that begin.
    """
    return await _run(_LAST, lambda: work(*args, **kwargs))


async def _run(executor: ThreadPoolExecutor | None, work: Callable[[], T]) -> T:
    def run() -> T:
        try:
            return work()
        finally:
            release_connection()

    return await sync_to_async(run, thread_sensitive=False, executor=executor)()
