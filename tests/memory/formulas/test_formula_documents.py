"""The documents' tables of numbers are those of the formulas."""

from collections.abc import Iterator

import pytest
from django.conf import settings

from memory.drafts import Facets
from memory.formulas.importance import TYPE_IMPORTANCE, adjustment, time_coef
from memory.formulas.ranking import PROFILES


def _rows(document: str, under: str) -> Iterator[list[str]]:
    """The cells of each row of the table whose head begins so."""
    text = (settings.BASE_DIR / "docs" / document).read_text()
    lines = iter(text[text.index(under) :].splitlines()[2:])
    while (line := next(lines, "")).startswith("|"):
        yield [cell.strip() for cell in line.strip("|").split("|")]


def test_importance_of_the_examples_follows_from_their_facets() -> None:
    for _what, *numbers in _rows("importance.md", "| for example"):
        p, j, valence, intensity, i, e, importance = map(float, numbers)
        facets = Facets(P=p, J=j, I=i, valence=valence, intensity=intensity)
        assert (facets.emotion, facets.importance) == pytest.approx((e, importance), abs=5e-4)


def test_time_leaves_what_the_table_says() -> None:
    for days, *left in _rows("importance.md", "| days"):
        expected = [time_coef(float(days), uses, core=False) for uses in (0, 1, 3, 14)]
        assert list(map(float, left)) == pytest.approx(expected, abs=5e-5)


def test_adjustments_are_those_of_the_table() -> None:
    for _what, *numbers in _rows("importance.md", "| after these events"):
        *counts, expected = map(float, numbers)
        assert adjustment(*map(int, counts)) == pytest.approx(expected, abs=5e-5)


def test_each_type_has_the_default_that_the_documents_say() -> None:
    said = ", ".join(f"{name} {weight}" for name, weight in TYPE_IMPORTANCE.items())
    assert said in (settings.BASE_DIR / "docs" / "importance.md").read_text()


def test_each_profile_weighs_what_the_table_says() -> None:
    rows = {row[0].split("`")[1]: row[1] for row in _rows("ranking.md", "| profile")}
    assert rows.pop("date") == "none: newest first"
    assert rows == {
        name: " + ".join(f"{weight:g} · {signal}" for signal, weight in profile.weights.items())
        for name, profile in PROFILES.items()
        if profile.order == "score"
    }
