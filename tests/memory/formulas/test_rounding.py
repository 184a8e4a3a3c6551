"""Parts shown with two decimals add up to their sum with two decimals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.formulas.rounding import rounded_parts

HUNDREDTH = 0.01
parts_of_scores = st.dictionaries(st.text(max_size=3), st.floats(-1, 1), min_size=1, max_size=8)


def test_the_largest_remainder_gets_the_missing_hundredth() -> None:
    parts = {"semantic": 0.284, "lexical": 0.1223, "recency": 0.0213}

    assert rounded_parts(parts, 0.4276) == {"semantic": 0.29, "lexical": 0.12, "recency": 0.02}


@given(parts_of_scores)
def test_parts_add_up_and_none_moves_by_a_hundredth(parts: dict[str, float]) -> None:
    total = sum(parts.values())

    shown = rounded_parts(parts, total)

    assert sum(shown.values()) == pytest.approx(round(total, 2), abs=1e-9)
    for name, value in parts.items():
        assert shown[name] == pytest.approx(value, abs=HUNDREDTH + 1e-9)
