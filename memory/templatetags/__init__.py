"""Template libraries of the memory core."""
