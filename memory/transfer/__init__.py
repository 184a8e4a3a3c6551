"""A whole space as lines of JSON, out and in again (docs/transfer.md)."""
