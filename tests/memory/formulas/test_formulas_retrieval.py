"""Recall at k and reciprocal rank, by examples counted by hand."""

import pytest

from memory.formulas.retrieval import first_place, recall_at, reciprocal_rank


@pytest.mark.parametrize(
    ("relevant", "ranked", "at_two", "place", "reciprocal"),
    [
        ("a", "abc", 1.0, 1, 1.0),
        ("c", "abc", 0.0, 3, 1 / 3),
        ("bc", "abc", 0.5, 2, 1 / 2),
        ("abcd", "ab", 0.5, 1, 1.0),
        ("d", "abcd", 0.0, 4, 0.0),
        ("x", "abc", 0.0, None, 0.0),
        ("x", "", 0.0, None, 0.0),
    ],
)
def test_figures_of_one_answer(
    relevant: str, ranked: str, at_two: float, place: int | None, reciprocal: float
) -> None:
    assert recall_at(2, set(relevant), ranked) == at_two
    assert first_place(set(relevant), ranked) == place
    assert reciprocal_rank(set(relevant), ranked, depth=3) == reciprocal
