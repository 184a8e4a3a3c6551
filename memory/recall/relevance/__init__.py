"""The relevance of a memory to what was said: the probability that it helps with an answer.

utterances   features of what was said
model        the two logistic models, and their weights
weights.npz  written by `python -m benchmarks.relevance`
"""

from memory.recall.relevance.model import Signals, relevance_of

__all__ = ["Signals", "relevance_of"]
