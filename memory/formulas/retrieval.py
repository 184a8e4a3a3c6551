"""Measures of a ranking's quality, given the memories marked as relevant.

Source: Manning, Raghavan and Schütze 2008, Introduction to Information Retrieval, chapter 8; the
reciprocal rank is Voorhees 1999 (TREC-8).
"""

from collections.abc import Collection, Hashable, Sequence


def recall_at(cut: int, relevant: Collection[Hashable], ranked: Sequence[Hashable]) -> float:
    """Return the share of the relevant (at least one) that is among the first `cut`, in 0..1."""
    return sum(one in relevant for one in ranked[:cut]) / len(relevant)


def first_place(relevant: Collection[Hashable], ranked: Sequence[Hashable]) -> int | None:
    """Return the rank of the first relevant one, 1 being the best; None if there is none."""
    return next((place for place, one in enumerate(ranked, 1) if one in relevant), None)


def reciprocal_rank(
    relevant: Collection[Hashable], ranked: Sequence[Hashable], *, depth: int
) -> float:
    """Return 1 / rank of the first relevant one, 0 if it is beyond `depth`."""
    place = first_place(relevant, ranked[:depth])
    return 1 / place if place else 0.0
