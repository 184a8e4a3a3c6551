"""The real web server, for tests that come in through its APIs."""

from tests.processes import model_web, queue, static_files, web

__all__ = ["model_web", "queue", "static_files", "web"]
