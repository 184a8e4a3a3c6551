"""Ebb on a Citus cluster: `make citus-check`. CI does not run it."""
