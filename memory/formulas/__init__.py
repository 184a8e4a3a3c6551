"""The numbers behind every memory: what matters, what comes back, what goes.

`importance`, `ranking` and `retention` are plain Python and explain themselves; the twin of each,
`*_sql`, has the same functions in the same order as Django expressions, so that PostgreSQL can
work on a whole space at once. A test runs both on the same rows and wants them equal to 1e-9.
"""
