"""The share of one space in the rankings that a web process or a worker runs at once.

A ranking keeps a database connection busy. Without a limit, the searches of one space could take
all connections of the process, and the other spaces would wait.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import OperationalError

from memory.connections import release_connection
from memory.models import Space

PATIENCE = 15.0  # seconds, as for a connection of the pool

_running: Counter[int] = Counter()  # rankings by space
_changed = threading.Condition()


class SpaceBusy(OperationalError):
    """The space has used its share for too long. Callers answer it as a busy database."""


@contextmanager
def share_of(space: Space) -> Iterator[None]:
    """Take a place among the space's rankings, at most half of the connections; wait for it
    without a connection. Raises SpaceBusy."""
    most = max(1, settings.EBB_DB_POOL // 2)
    with _changed:
        if _running[space.pk] >= most:
            release_connection()
            if not _changed.wait_for(lambda: _running[space.pk] < most, PATIENCE):
                raise SpaceBusy(f"This space runs {most} searches at once already.")
        _running[space.pk] += 1
    try:
        yield
    finally:
        with _changed:
            _running[space.pk] -= 1
            _changed.notify_all()
