"""Training and measurement of the model of changes (memory/reconciliation/changes)."""
