"""The formulas of importance, ranking and retention.

`importance`, `ranking` and `retention` are plain Python; the twin of each, `*_sql`, has the same
functions in the same order as Django expressions, so that PostgreSQL can evaluate a whole space at
once. A test runs both on the same rows and requires results equal to 1e-9.
"""
