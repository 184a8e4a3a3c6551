"""Importance against the seeds, word by word, and what must hold for every input."""

import itertools
import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.formulas import importance

NOW = datetime(2026, 2, 18, 12, tzinfo=UTC)

ages = st.floats(0, 20_000)
uses = st.integers(0, 1_000_000)


def test_types_and_defaults_are_those_of_the_seed() -> None:
    """Seed 002, Scope: "typed memory enum for `identity`, `goal`, `decision`, `todo`,
    `preference`, `fact`, `event`, `observation`" and "default importance values in the
    `0.3..=1.0` range"."""
    assert importance.MEMORY_TYPES == (
        "identity",
        "goal",
        "decision",
        "todo",
        "preference",
        "fact",
        "event",
        "observation",
    )
    assert list(importance.TYPE_IMPORTANCE.values()) == [1.0, 0.9, 0.8, 0.8, 0.7, 0.6, 0.4, 0.3]


def test_default_type_is_observation() -> None:
    """Seed 002, C-05: "Defaults (`observation` + default importance) are used"."""
    assert importance.DEFAULT_TYPE == "observation"
    assert importance.TYPE_IMPORTANCE[importance.DEFAULT_TYPE] == 0.3


@pytest.mark.parametrize(
    ("valence", "intensity", "expected"),
    [
        (-1.0, 0.8, 0.8),
        (-0.01, 0.8, 0.8),
        (0.0, 0.8, 0.4),
        (1.0, 0.8, 0.4),
        (-1.0, 1.0, 1.0),
        (1.0, 1.0, 0.5),
        (-1.0, 0.0, 0.0),
        (-1.0, 1.7, 1.0),
        (-1.0, -0.2, 0.0),
    ],
)
def test_emotion_counts_the_negative_in_full_and_the_rest_by_half(
    valence: float, intensity: float, expected: float
) -> None:
    """Seed 003, 2.2: "E = clamp(intensity * (valence < 0 ? 1.0 : 0.5), 0, 1)"."""
    assert importance.emotion(valence, intensity) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("persistence", "emotion", "information", "judgement", "expected"),
    [
        (1.0, 1.0, 1.0, 1.0, 1.0),
        (0.0, 0.0, 0.0, 0.0, 0.0),
        (1.0, 0.0, 0.0, 0.0, 0.60),
        (0.0, 0.0, 0.0, 1.0, 0.20),
        (0.0, 1.0, 0.0, 0.0, 0.15),
        (0.0, 0.0, 1.0, 0.0, 0.05),
        (1.0, 0.5, 0.8, 0.9, 0.895),
        (0.5, 0.2, 0.6, 0.5, 0.46),
        (0.1, 0.0, 1.0, 0.1, 0.13),
        (2.0, 0.0, 0.0, 0.0, 1.0),
        (-1.0, 0.0, 0.0, 0.0, 0.0),
    ],
)
def test_base_importance_weighs_the_four_facets(
    persistence: float, emotion: float, information: float, judgement: float, expected: float
) -> None:
    """Seed 003, 3: "infoImportance = clamp(0.60*P + 0.20*J + 0.15*E + 0.05*I, 0, 1)"."""
    result = importance.base_importance(persistence, emotion, information, judgement)
    assert result == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("threshold", [0.7, 0.5, 0.3])
def test_facets_that_make_a_threshold_make_it_to_the_last_digit(threshold: float) -> None:
    """An importance right on a threshold is in the upper tier (seed 001, `calculate_ttl`)."""
    tenths = list(itertools.product(range(11), repeat=4))
    exactly = [
        (p, e, i, j)
        for p, e, i, j in tenths
        if 60 * p + 15 * e + 5 * i + 20 * j == round(1000 * threshold)
    ]
    assert len(exactly) > 50
    for p, e, i, j in exactly:
        assert importance.base_importance(p / 10, e / 10, i / 10, j / 10) == threshold


@pytest.mark.parametrize("position", range(4))
def test_base_importance_refuses_nan(position: int) -> None:
    facets = [0.5] * 4
    facets[position] = math.nan
    with pytest.raises(ValueError, match="not a number"):
        importance.base_importance(*facets)


@pytest.mark.parametrize(("valence", "intensity"), [(math.nan, 0.5), (0.5, math.nan)])
def test_emotion_refuses_nan(valence: float, intensity: float) -> None:
    with pytest.raises(ValueError, match="not a number"):
        importance.emotion(valence, intensity)


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (NOW, 0.0),
        (NOW - timedelta(hours=12), 0.5),
        (NOW - timedelta(days=30), 30.0),
        (NOW + timedelta(days=1), 0.0),
    ],
)
def test_age_days_has_fractions_and_is_never_negative(since: datetime, expected: float) -> None:
    """Seed 003, 4.1: "ageDays = daysSince(last_active_at ?? created_at)"."""
    assert importance.age_days(since, NOW) == expected


@pytest.mark.parametrize(
    ("age", "use_count", "expected"),
    [
        (30.0, 0, 30.0),
        (0.0, 5, 0.0),
        (30.0, 1, 17.718483),
        (30.0, 10, 8.828995),
        (1.0, 100, 0.178091),
    ],
)
def test_effective_age_shrinks_with_use(age: float, use_count: int, expected: float) -> None:
    """Seed 003, 4.1: "effectiveAge = ageDays / (1 + ln(1 + u))"."""
    assert importance.effective_age(age, use_count) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("age", "use_count", "expected"),
    [
        (0.0, 0, 1.0),
        (30.0, 0, 0.8735758882),
        (90.0, 0, 0.8099574137),
        (30.0, 1, 0.9107971728),
        (30.0, 10, 0.9490106138),
        (36_500.0, 0, 0.8),
    ],
)
def test_time_coef_follows_the_seed(age: float, use_count: int, expected: float) -> None:
    """Seed 003, 4.1: "timeCoef = 0.8 + 0.2 * exp(- effectiveAge / 30)"."""
    result = importance.time_coef(age, use_count, core=False)
    assert result == pytest.approx(expected, abs=1e-9)


def test_time_coef_takes_another_scale_and_floor() -> None:
    """Seed 003, 5: "例如把 30 天改成 45 天"."""
    result = importance.time_coef(45, 0, core=False, scale_days=45)
    assert result == pytest.approx(0.8 + 0.2 / math.e, abs=1e-12)
    result = importance.time_coef(30, 0, core=False, floor=0.9)
    assert result == pytest.approx(0.9 + 0.1 / math.e, abs=1e-12)


@given(age=ages, use_count=uses)
def test_time_coef_of_core_memories_is_exactly_one(age: float, use_count: int) -> None:
    """Seed 003, 4.1: "P=1（核心记忆）：- 强制 `timeCoef = 1`"."""
    assert importance.time_coef(age, use_count, core=True) == 1.0


@given(age=ages, use_count=uses)
def test_time_coef_stays_within_its_range(age: float, use_count: int) -> None:
    """Seed 003, 1.5: "必须保证范围始终在 `[0.8, 1.0]`"."""
    assert 0.8 <= importance.time_coef(age, use_count, core=False) <= 1.0


@given(age=st.floats(0, 300), older=st.floats(0.01, 300), use_count=uses)
def test_time_coef_falls_in_age(age: float, older: float, use_count: int) -> None:
    """Seed 003, 4.1: "很久没用：逐步趋近 `0.8`"."""
    sooner = importance.time_coef(age, use_count, core=False)
    assert importance.time_coef(age + older, use_count, core=False) < sooner


@given(age=st.floats(0.01, 300), use_count=st.integers(0, 10_000), more=st.integers(1, 10_000))
def test_time_coef_rises_in_use(age: float, use_count: int, more: int) -> None:
    """Seed 003, 4.1: "用得越多：`effectiveAge` 更小，衰减更慢"."""
    less_used = importance.time_coef(age, use_count, core=False)
    assert importance.time_coef(age, use_count + more, core=False) > less_used


def test_current_importance_is_the_product() -> None:
    """Seed 003, 1: "importance = infoImportance * timeCoef"."""
    assert importance.current_importance(0.7, 0.98) == pytest.approx(0.686)


@given(
    facets=st.tuples(*[st.floats(-1e6, 1e6)] * 4), valence=st.floats(-1, 1), intensity=st.floats()
)
def test_importance_always_lies_in_the_unit_interval(
    facets: tuple[float, float, float, float], valence: float, intensity: float
) -> None:
    assert 0.0 <= importance.base_importance(*facets) <= 1.0
    if not math.isnan(intensity):
        assert 0.0 <= importance.emotion(valence, intensity) <= 1.0


counted = st.tuples(*[st.integers(0, 10_000)] * 4)


@given(counts=counted)
def test_an_adjustment_stays_within_its_bound(counts: tuple[int, int, int, int]) -> None:
    assert abs(importance.adjustment(*counts)) < importance.ADJUSTMENT_BOUND


@given(counts=counted, place=st.integers(0, 3))
def test_each_event_moves_the_adjustment_its_way(
    counts: tuple[int, int, int, int], place: int
) -> None:
    more = [*counts]
    more[place] += 1
    change = importance.adjustment(*more) - importance.adjustment(*counts)
    weight = list(importance.ADJUSTMENT_WEIGHTS.values())[place]
    assert change * weight > 0
    assert abs(change) <= 2 * importance.ADJUSTMENT_BOUND * abs(weight) / (
        importance.ADJUSTMENT_DOUBT + abs(weight)
    )


def test_later_events_of_a_kind_change_less() -> None:
    values = [importance.adjustment(n, 0, 0, 0) for n in range(50)]
    steps = [after - before for before, after in itertools.pairwise(values)]
    assert steps == sorted(steps, reverse=True)
    assert values[0] == 0


def test_events_that_contradict_each_other_cancel_out() -> None:
    assert importance.adjustment(50, 200, 3, 3) == 0


def test_effective_importance_stays_in_the_unit_interval() -> None:
    assert importance.effective_importance(0.95, 0.15) == 1.0
    assert importance.effective_importance(0.05, -0.15) == 0.0
    assert importance.effective_importance(0.5, -0.05) == pytest.approx(0.45)
