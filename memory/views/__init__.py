"""Pages of the memory core, a file a noun."""
