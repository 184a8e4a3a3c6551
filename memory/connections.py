"""Giving the database connection back before something slow begins."""

from collections.abc import Callable
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


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs synchronous work with the database from a stream, on a thread shared with all others.

    A request's own thread is given back when its stream begins (config.asgi); what a stream needs
    later it borrows here, for as long as the work takes and no longer.
    """

    def run() -> T:
        try:
            return work(*args, **kwargs)
        finally:
            release_connection()

    return await sync_to_async(run, thread_sensitive=False)()
