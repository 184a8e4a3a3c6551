"""A small trained model: does a new statement make an earlier one outdated?

The claims know the wordings of many changes, but people use others ("We had to put Otis down"). The
model reads both statements together: their vectors, signs of a change, and whom they are about.

features     the numbers of a pair of statements
model        the logistic model
weights.npz  written by `python -m benchmarks.conflicts`
"""

from memory.reconciliation.changes.model import likeliest_change

__all__ = ["likeliest_change"]
