"""Template libraries of the assessor."""
