"""A small trained model: does what somebody says now make an earlier statement outdated?

The claims know the words of many changes; people say them in others ("We had to put Otis down").
The model reads both statements together: their vectors, signs of a change, and who it is about.

features     the numbers of a pair of statements
model        the logistic model
weights.npz  written by `python -m benchmarks.conflicts`
"""

from memory.reconciliation.changes.model import outdated

__all__ = ["outdated"]
