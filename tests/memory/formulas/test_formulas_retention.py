"""Tiers of life and protection against the seeds, word by word."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.formulas import retention

NOW = datetime(2026, 2, 18, 12, tzinfo=UTC)
TIERS = retention.Tiers()
DAY = 24 * 3600


@pytest.mark.parametrize(
    ("importance", "expected"),
    [
        (1.0, None),
        (0.7, None),
        (math.nextafter(0.7, 0), 30 * DAY),
        (0.6999, 30 * DAY),
        (0.5, 30 * DAY),
        (math.nextafter(0.5, 0), 7 * DAY),
        (0.3, 7 * DAY),
        (math.nextafter(0.3, 0), 3 * DAY),
        (0.0, 3 * DAY),
    ],
)
def test_ttl_seconds_at_the_edges_of_the_tiers(importance: float, expected: int | None) -> None:
    """Seed 001, calculate_ttl: "if importance >= self.permanent_threshold: return None" (0.7),
    "elif importance >= 0.5: return 30 * 24 * 3600", "elif importance >= 0.3: return 7 * 24 * 3600",
    "else: return 3 * 24 * 3600"."""
    assert retention.ttl_seconds(importance, TIERS) == expected


def test_ttl_seconds_follows_the_policy_with_fractions_and_zero() -> None:
    tiers = retention.Tiers(permanent_threshold=0.9, medium_days=0.5, very_low_days=0)
    assert retention.ttl_seconds(0.9, tiers) is None
    assert retention.ttl_seconds(0.89, tiers) == DAY // 2
    assert retention.ttl_seconds(0.1, tiers) == 0


def test_ttl_seconds_refuses_nan() -> None:
    with pytest.raises(ValueError, match="not a number"):
        retention.ttl_seconds(math.nan, TIERS)


@given(low=st.floats(0, 1), high=st.floats(0, 1))
def test_the_more_important_never_lives_shorter(low: float, high: float) -> None:
    low, high = sorted((low, high))
    shorter, longer = (retention.ttl_seconds(x, TIERS) or math.inf for x in (low, high))
    assert shorter <= longer


@pytest.mark.parametrize(("importance", "days"), [(0.71, None), (0.5, 30), (0.3, 7), (0.29, 3)])
def test_expires_at_counts_from_the_start(importance: float, days: int | None) -> None:
    """Seed 001, Configuration: "very_low_days: 3", "low_days: 7", "medium_days: 30"."""
    expected = None if days is None else NOW + timedelta(days=days)
    assert retention.expires_at(NOW, importance, TIERS) == expected


@pytest.mark.parametrize(
    ("ahead", "precision", "days"),
    [
        (100, "day", 102),  # kept until a day after the event
        (100, "month", 132),
        (100, "year", 467),
        (10, "day", 30),  # over before the memory expires
        (0, "day", 30),
        (-5, "year", 30),  # not ahead
    ],
)
def test_a_coming_event_is_not_forgotten_before_it_is_over(
    ahead: int, precision: str, days: int
) -> None:
    expiry, event_at = NOW + timedelta(days=30), NOW + timedelta(days=ahead)
    found = retention.after_event(expiry, NOW, event_at, precision)
    assert found == NOW + timedelta(days=days)


def test_without_an_event_or_an_expiry_nothing_changes() -> None:
    assert retention.after_event(None, NOW, NOW + timedelta(days=9), "day") is None
    assert retention.after_event(NOW, NOW, None, "") == NOW


@pytest.mark.parametrize(
    ("expires_at", "expected"),
    [
        (NOW - timedelta(microseconds=1), True),
        (NOW, True),
        (NOW + timedelta(microseconds=1), False),
        (None, False),
    ],
)
def test_is_expired_from_the_very_moment(expires_at: datetime | None, expected: bool) -> None:
    assert retention.is_expired(expires_at, NOW) is expected


def test_a_memory_with_no_days_is_expired_at_once() -> None:
    tiers = retention.Tiers(very_low_days=0)
    end = retention.expires_at(NOW, 0.1, tiers)
    assert retention.is_expired(end, NOW)
    assert retention.life_left(NOW, end, NOW) == 0.0


@pytest.mark.parametrize(
    ("days_gone", "expected"), [(-1, 1.0), (0, 1.0), (7.5, 0.75), (30, 0.0), (31, 0.0)]
)
def test_life_left_is_the_share_still_to_come(days_gone: float, expected: float) -> None:
    end = NOW + timedelta(days=30)
    assert retention.life_left(NOW, end, NOW + timedelta(days=days_gone)) == expected


def test_life_left_of_a_permanent_memory_is_none() -> None:
    assert retention.life_left(NOW, None, NOW) is None


@pytest.mark.parametrize(
    ("hours_old", "expected"), [(0, True), (23.99, True), (24, False), (25, False), (-1, True)]
)
def test_a_memory_is_new_for_the_grace_period(hours_old: float, expected: bool) -> None:
    assert retention.in_grace(NOW - timedelta(hours=hours_old), NOW, 24) is expected
    assert not retention.in_grace(NOW, NOW, 0)


@pytest.mark.parametrize(
    ("importance", "counts_as"),
    [(0.0, 0.3), (0.01, 0.3), (0.3, 0.5), (0.49, 0.5), (0.5, 0.7), (0.7, 1.0), (1.0, 1.0)],
)
def test_a_new_memory_counts_as_the_upper_end_of_its_tier(
    importance: float, counts_as: float
) -> None:
    """Seed 001, `calculate_ttl`: 0.7, 0.5 and 0.3 are the tiers' bounds."""
    tiers = retention.Tiers()
    assert retention.contested_importance(importance, importance, tiers, new=True) == counts_as
    assert retention.contested_importance(importance, 0.1, tiers, new=False) == 0.1


def test_what_is_no_number_has_no_place() -> None:
    with pytest.raises(ValueError, match="not a number"):
        retention.contested_importance(math.nan, 0.1, retention.Tiers(), new=True)
