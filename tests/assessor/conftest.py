"""Real processes for the tests of this folder."""

from tests.processes import model_web, processes, queue, static_files

__all__ = ["model_web", "processes", "queue", "static_files"]
