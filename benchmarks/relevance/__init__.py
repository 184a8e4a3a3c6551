"""Training and measurement of the relevance of memories (docs/relevance.md)."""
