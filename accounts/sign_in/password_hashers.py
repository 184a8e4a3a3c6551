"""Django's password hasher behind a queue, so that every check and every new password waits there,
on any page.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth import hashers

from foundation.database.connections import release_connection
from foundation.errors import RateLimited

# Hashing takes 100 MB and both processors for a tenth of a second. More at once would slow all
# other requests.
_AT_ONCE = threading.BoundedSemaphore(2)
_PATIENCE = 10.0  # seconds
_mine = threading.local()


@contextmanager
def hashing_turn() -> Iterator[None]:
    """Wait for a turn to hash passwords; a thread that has one keeps it.

    Raises RateLimited after ten seconds.
    """
    if getattr(_mine, "has_turn", False):
        yield
        return
    release_connection()  # those who wait would keep all connections from other requests
    if not _AT_ONCE.acquire(timeout=_PATIENCE):
        raise RateLimited("Too many passwords are being checked.", retry_after=_PATIENCE)
    _mine.has_turn = True
    try:
        yield
    finally:
        _mine.has_turn = False
        _AT_ONCE.release()


class QueuedArgon2(hashers.Argon2PasswordHasher):
    """Argon2, in turn."""

    def encode(self, password: str, salt: str) -> str:
        """Return the password's hash."""
        with hashing_turn():
            return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        """Return whether the hash is the password's."""
        with hashing_turn():
            return super().verify(password, encoded)
