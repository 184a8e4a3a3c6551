"""The real web server, for tests that come in through its APIs."""

from tests.processes import queue, static_files, web

__all__ = ["queue", "static_files", "web"]
