"""The figures above the list of assessments, and the words they are said in."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import Space
from assessor.models import Assessment
from assessor.statistics.inspection import PERIOD, Figures, figures_by_model, figures_of
from assessor.statistics.tiles import columns, model_row, tiles
from assessor.templatetags.assessments import duration, lifetime, since, usd
from memory.retention.lifetime_bar import band

NOW = datetime(2026, 2, 18, 12, 0, tzinfo=UTC)
STORE_ABOVE = 0.2


def assessed(space: Space, state: str = "done", **values: Any) -> Assessment:
    result: dict[str, Any] = {}
    if state in {"done", "ignored"}:
        result = {"importance": 0.7, "provider": "llm", "model": "stub", "latency_ms": 100.0}
    return Assessment.objects.create(
        space=space, **{"user_message": "hi", "created_at": NOW, "state": state} | result | values
    )


def figures(space: Space) -> Figures:
    return figures_of(space=space, store_above=STORE_ABOVE, now=NOW)


def said(space: Space) -> dict[str, str]:
    return {tile.label: " | ".join((tile.value, *tile.details)) for tile in tiles(figures(space))}


def test_everything_is_counted_by_one_statement(
    space: Space, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for state in ("queued", "running", "retrying", "done", "done", "ignored", "failed"):
        assessed(space, state)
    assessed(space, "ignored", importance=None)  # said anew before anyone assessed it

    with django_assert_num_queries(1):
        found = figures(space)

    assert (found.waiting, found.assessed, found.failed) == (3, 3, 1)
    assert found.success == 0.75
    assert not found.is_reliable


def test_only_this_space_and_the_last_thirty_days_count(space: Space, other_space: Space) -> None:
    assessed(other_space, "failed")
    assessed(space, "failed", created_at=NOW - PERIOD)
    assessed(space, created_at=NOW - PERIOD + timedelta(seconds=1))

    found = figures(space)

    assert (found.assessed, found.failed) == (1, 0)
    assert found.since == NOW - PERIOD + timedelta(seconds=1)


def test_a_topic_assessed_as_one_counts_once(space: Space) -> None:
    first = assessed(space, cost_usd=0.0001)
    assessed(space, part_of=first, latency_ms=None)
    found = figures(space)
    assert (found.assessed, found.unpriced) == (1, 0)


def test_before_anything_was_assessed_there_is_nothing_to_say(space: Space) -> None:
    assert tiles(figures(space)) == []
    assessed(space, "queued")
    assert tiles(figures(space)) == []
    assessed(space, "failed")
    assert said(space) == {"Success rate": "0% | 0 assessed, 1 failed"}


def test_percentiles_are_interpolated_and_a_models_are_told_apart(space: Space) -> None:
    for latency in range(1, 102):
        assessed(space, latency_ms=float(latency))
    assert figures(space).latency == pytest.approx([51.0, 96.0])
    assert said(space)["Latency"] == "51 ms | median; 95% within 96 ms"

    for _ in range(101):
        assessed(space, "ignored", provider="local", latency_ms=1.0)
    found = figures(space)
    assert found.latency == pytest.approx([1.0, 90.95])
    assert found.model_latency == pytest.approx([51.0, 96.0])
    assert "with a model: 51 ms, 95% within 96 ms" in said(space)["Latency"]


@pytest.mark.parametrize(("slow", "quick"), [(299.9, True), (300.0, False)])
def test_the_slow_end_decides_whether_the_aim_is_reached(
    space: Space, slow: float, quick: bool
) -> None:
    assessed(space, latency_ms=slow)
    assert figures(space).is_quick is quick


@pytest.mark.parametrize(("done", "failed", "reached"), [(19, 1, False), (20, 1, True)])
def test_more_than_95_percent_is_the_aim(
    space: Space, done: int, failed: int, reached: bool
) -> None:
    for state in ["done"] * done + ["failed"] * failed:
        assessed(space, state)
    assert figures(space).is_reliable is reached


def test_costs_and_tokens_are_added_up(space: Space) -> None:
    assessed(space, cost_usd=0.0001, tokens=300)
    assessed(space, cost_usd=0.0003, tokens=501)

    found = figures(space)

    assert found.cost_each == pytest.approx(0.0002)
    assert not found.is_cheap
    assert said(space)["Cost per assessment"] == "$0.0002 | $0.0004 in total"
    assert said(space)["Tokens"] == "801 | 400 per model answer"


@pytest.mark.parametrize(("cost", "cheap"), [(0.000149, True), (0.000151, False)])
def test_about_a_hundredth_of_a_cent_is_the_aim(space: Space, cost: float, cheap: bool) -> None:
    assessed(space, cost_usd=cost)
    assert figures(space).is_cheap is cheap


def test_without_prices_the_cost_is_unknown(space: Space) -> None:
    assessed(space, provider="local", cost_usd=0.0)
    assert said(space)["Cost per assessment"] == "$0 | $0 in total"

    assessed(space, cost_usd=None, tokens=300)
    [cost] = [tile for tile in tiles(figures(space)) if tile.label == "Cost per assessment"]
    assert (cost.value, cost.reached) == ("unknown", None)
    assert cost.aim == "about $0.0001"

    assessed(space, cost_usd=0.0002, tokens=300)
    assert said(space)["Cost per assessment"] == "$0.0001 | $0.0002 in total | 1 with unknown cost"


def test_each_model_has_its_own_figures(
    space: Space, other_space: Space, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Seed 001, "Performance Targets": "Assessment latency: < 300ms", "Success rate: > 95%",
    "Cost per assessment: ~$0.0001"."""
    for latency in (100.0, 200.0, 900.0):
        assessed(space, model="slow", latency_ms=latency, cost_usd=0.0009)
    assessed(space, "failed", model="slow")
    assessed(space, "failed", model="")  # no model was asked
    assessed(space, "queued", model="slow")
    for _ in range(5):
        assessed(space, provider="local", model="built-in", latency_ms=5.0, cost_usd=0.0)
    assessed(other_space, model="elsewhere")
    assessed(space, model="unpriced")

    with django_assert_num_queries(1):
        found = figures_by_model(space=space, now=NOW)

    cells = {one.model: [(c.value, c.reached) for c in model_row(one).cells] for one in found}
    assert [(one.model, one.is_builtin) for one in found] == [
        ("built-in", True), ("slow", False), ("unpriced", False),
    ]  # fmt: skip
    assert cells == {
        "built-in": [("100%", True), ("5.0 ms", True), ("5.0 ms", True), ("$0", True)],
        "slow": [("75%", False), ("200 ms", True), ("830 ms", False), ("$0.0009", False)],
        "unpriced": [("100%", True), ("100 ms", True), ("100 ms", True), ("–", None)],
    }
    assert [(column.label, column.aim) for column in columns()] == [
        ("Success rate", "more than 95%"), ("Median latency", "under 300 ms"),
        ("95th percentile", "under 300 ms"), ("Cost per assessment", "about $0.0001"),
    ]  # fmt: skip


CASCADE = [
    # first importance, provider, importance: who had the last word, and on which side
    (0.9, "local", 0.9),
    (0.05, "local", 0.05),
    (0.1, "llm", 0.1),
    (0.5, "llm", 0.2),  # store_above itself is remembered
    (0.5, "llm", 0.19),
    (0.19, "llm", 0.6),
]


def test_a_cascade_says_what_it_saves_and_whether_the_assessors_agree(space: Space) -> None:
    assessed(space)  # no cascade
    assessed(space, "failed", first_importance=0.5, provider="cascade")
    assert figures(space).saved is None
    assert "Model calls avoided" not in said(space)

    for first, provider, importance in CASCADE:
        state = "done" if importance >= STORE_ABOVE else "ignored"
        assessed(space, state, first_importance=first, provider=provider, importance=importance)

    found = figures(space)
    assert (found.cascaded, found.asked_model, found.agreed) == (6, 4, 2)
    assert found.saved == pytest.approx(1 / 3)
    assert found.agreement == 0.5
    assert said(space)["Model calls avoided"] == (
        "33.3% | the model was asked about 4 of 6 | both assessors agreed on 50% of these"
    )


def test_a_cascade_that_asked_nobody_has_no_agreement(space: Space) -> None:
    assessed(space, first_importance=0.9, provider="local")
    assert figures(space).agreement is None
    assert said(space)["Model calls avoided"] == "100% | the model was asked about 0 of 1"


# --- Words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dollars", "words"),
    [
        (0, "$0"), (0.0001, "$0.0001"), (0.0000937, "$0.000094"), (0.0134, "$0.013"),
        (0.5, "$0.5"), (0.999, "$1"), (1.0, "$1.00"), (1234.5, "$1234.50"),
    ],
)  # fmt: skip
def test_money(dollars: float, words: str) -> None:
    assert usd(dollars) == words


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [(0.04, "0.0 ms"), (3.41, "3.4 ms"), (9.96, "10 ms"), (812.3, "812 ms"), (1234.5, "1.2 s")],
)
def test_durations(milliseconds: float, words: str) -> None:
    assert duration(milliseconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "kept forever"), (0, "kept for 0 seconds"), (3600, "kept for 1 hour"),
        (47 * 3600, "kept for 47 hours"), (48 * 3600, "kept for 2 days"),
        (30 * 86400, "kept for 30 days"),
    ],
)  # fmt: skip
def test_lifetimes(seconds: int | None, words: str) -> None:
    assert lifetime(seconds) == words


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(seconds=59), "just now"), (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=3, minutes=50), "4 hours ago"), (timedelta(hours=24), "1 day ago"),
    ],
)  # fmt: skip
def test_ages(age: timedelta, words: str) -> None:
    assert f">{words}</time>" in since(NOW - age, NOW)


@pytest.mark.parametrize(
    ("importance", "words"),
    [
        (0.9, "critical"), (0.899, "important"), (0.7, "important"),
        (0.5, "of medium importance"), (0.3, "of low importance"),
        (0.299, "of very low importance"),
    ],
)  # fmt: skip
def test_bands_begin_at_their_bound(importance: float, words: str) -> None:
    assert band(importance) == words
