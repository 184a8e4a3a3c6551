"""Fixtures of the recall tests."""

from tests.memory.recall.large_spaces import large_space

__all__ = ["large_space"]
