"""The model that writes summaries. The assessor, an app above this one, registers the function that
asks it in its AppConfig."""

from collections.abc import Callable, Sequence

from accounts.models import Space
from memory.consolidation.grouping import Sentence
from memory.models import Memory

Summarize = Callable[[Space, Sequence[Memory]], Sequence[Sentence] | None]
"""Returns a summary whose sentences are supported by their sources; None if no model is connected,
or if it gave no usable answer. Called outside a transaction.
"""

_summarizers: list[Summarize] = []


def register(summarize: Summarize) -> None:
    """Ask for summaries by this function from now on."""
    _summarizers[:] = [summarize]


def by_model(space: Space, memories: Sequence[Memory]) -> Sequence[Sentence] | None:
    """Return a model's summary of these memories, or None."""
    [summarize] = _summarizers
    return summarize(space, memories)
