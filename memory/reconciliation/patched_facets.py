"""Facets of a memory whose text was patched. The assessor, an app above this one, registers the
function that assesses them in its AppConfig."""

from collections.abc import Callable

from memory.drafts import Facets

_assessors: list[Callable[[str], Facets]] = []


def register(assess: Callable[[str], Facets]) -> None:
    """Use this function to assess facets from now on. It may raise EmbeddingError."""
    _assessors[:] = [assess]


def facets_of(content: str) -> Facets:
    """Return the facets of a memory's text. Raises EmbeddingError."""
    [assess] = _assessors
    return assess(content)
