"""Export and import of a whole space as JSON Lines (docs/transfer.md)."""
