"""The share of one space in the work that a web process or a worker does at once.

A ranking keeps a database connection busy. Without a limit, the searches of one space could take
all connections of the process, and the other spaces would wait. A long text also keeps a processor
busy, and so does the preview of a policy: a space has one of these at a time on a host.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Lock, Semaphore
from time import monotonic, sleep
from typing import BinaryIO
from weakref import WeakValueDictionary

from django.conf import settings
from django.db import OperationalError

from accounts.models import Space
from foundation.database.connections import release_connection

PATIENCE = 15.0  # seconds, as for a connection of the pool
LONG = 500  # characters
_FILES = 64  # Several spaces may share one lock; they then wait for each other.

_Places = WeakValueDictionary[int, Semaphore]
"""The places of each space. Unused entries are dropped."""
_running: _Places = WeakValueDictionary()  # rankings
_long: _Places = WeakValueDictionary()  # long questions
_creating = Lock()


class SpaceBusy(OperationalError):
    """The space has used its share for too long. Callers respond as for a busy database."""


@contextmanager
def share_of(space: Space) -> Iterator[None]:
    """Take one of the space's places for rankings, which are half of the connections; hold no
    connection while waiting. Raises SpaceBusy.
    """
    with _place(_running, space, max(1, settings.EBB_DB_POOL // 2)):
        yield


@contextmanager
def turn_of(space: Space, *texts: str) -> Iterator[None]:
    """Wait for the space's turn to read a long text; short texts do not wait. A thread takes one
    turn at a time. Raises SpaceBusy.
    """
    with turn(space) if sum(map(len, texts)) > LONG else nullcontext():
        yield


@contextmanager
def turn(space: Space) -> Iterator[None]:
    """Wait for the space's turn to do long work, one at a time on this host. Raises SpaceBusy."""
    with _place(_long, space, 1), _host_wide(space):
        yield


@contextmanager
def _host_wide(space: Space) -> Iterator[None]:
    """Wait until no other process of the host answers a long question of the space."""
    settings.EBB_RUN_DIR.mkdir(parents=True, exist_ok=True)
    until = monotonic() + PATIENCE
    with (settings.EBB_RUN_DIR / f"turn-{space.pk % _FILES}").open("ab") as file:
        while not _locked(file):
            release_connection()
            if monotonic() > until:
                raise SpaceBusy("Other long work of this space is running. Try again shortly.")
            sleep(0.01)
        yield


def _locked(file: BinaryIO) -> bool:
    """Return whether the file could be locked. Closing it, or the process's end, unlocks it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _place(known: _Places, space: Space, most: int) -> Iterator[None]:
    with _creating:
        places = known.setdefault(space.pk, Semaphore(most))
    if not places.acquire(blocking=False):
        release_connection()
        if not places.acquire(timeout=PATIENCE):
            raise SpaceBusy(
                f"This space has reached its maximum of running searches, {most}. "
                "Try again shortly."
            )
    try:
        yield
    finally:
        places.release()
