"""The share of one space in the rankings that a web process or a worker runs at once.

A ranking keeps a database connection busy. Without a limit, the searches of one space could take
all connections of the process, and the other spaces would wait. A long question also keeps a
processor busy: the long questions of a space are answered one at a time.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from django.conf import settings
from django.db import OperationalError

from memory.connections import release_connection
from memory.models import Space

PATIENCE = 15.0  # seconds, as for a connection of the pool
LONG = 500  # characters

_running: Counter[int] = Counter()  # rankings by space
_long: Counter[int] = Counter()  # long questions by space
_changed = threading.Condition()


class SpaceBusy(OperationalError):
    """The space has used its share for too long. Callers answer it as a busy database."""


@contextmanager
def share_of(space: Space) -> Iterator[None]:
    """Take a place among the space's rankings, at most half of the connections; wait for it
    without a connection. Raises SpaceBusy."""
    with _place(_running, space, max(1, settings.EBB_DB_POOL // 2)):
        yield


@contextmanager
def turn_of(space: Space, question: str) -> Iterator[None]:
    """Wait for the space's turn to answer a long question; a short one does not wait. Raises
    SpaceBusy. A thread takes one turn at a time."""
    with _place(_long, space, 1) if len(question) > LONG else nullcontext():
        yield


@contextmanager
def _place(taken: Counter[int], space: Space, most: int) -> Iterator[None]:
    with _changed:
        if taken[space.pk] >= most:
            release_connection()
            if not _changed.wait_for(lambda: taken[space.pk] < most, PATIENCE):
                raise SpaceBusy(f"This space has too many searches at once (most: {most}).")
        taken[space.pk] += 1
    try:
        yield
    finally:
        with _changed:
            taken[space.pk] -= 1
            if not taken[space.pk]:
                del taken[space.pk]
            _changed.notify_all()
