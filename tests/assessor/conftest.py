"""Real processes for the tests of this folder."""

from tests.processes import processes, queue

__all__ = ["processes", "queue"]
