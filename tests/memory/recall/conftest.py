"""Fixtures of the recall tests."""

from tests.memory.recall.large_spaces import filled_space, large_space

__all__ = ["filled_space", "large_space"]
