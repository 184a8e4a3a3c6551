"""The forecast of a memory's importance, as its page draws it."""

from math import exp, log
from typing import Any

import pytest

from accounts.models import Space
from memory.policy import PolicyDocument
from memory.retention.decay_forecast import LASTING_DAYS, POINTS, curve
from tests.memory.sweeping import DAY, insert
from tests.memory.writing import NOW

pytestmark = pytest.mark.django_db


def test_curve_is_what_the_formulas_say_for_the_days_to_come(space: Space) -> None:
    memory = insert(
        space, 1, importance=0.6, created_at=NOW - 10 * DAY, clock_started_at=NOW - 10 * DAY,
        use_count=2, last_active_at=NOW - 3 * DAY,
    )  # fmt: skip
    document = PolicyDocument()

    found = curve(memory, document, NOW)

    def weight(at: float, uses: int) -> float:
        """Seed 003, section 4.1, by hand."""
        return 0.6 * (0.8 + 0.2 * exp(-(at / (1 + log(1 + uses))) / 30))

    assert len(found.unused.points) == len(found.used.points) == POINTS + 1
    assert found.unused.goes_at == memory.expires_at == NOW + 20 * DAY
    assert found.used.goes_at == NOW + 30 * DAY
    assert found.days == pytest.approx(30)
    assert found.unused.points[0] == pytest.approx((0, weight(3, 2)))
    assert found.unused.last == pytest.approx((20, weight(23, 2)))
    assert found.used.points[0] == pytest.approx((0, 0.6))
    assert found.used.last == pytest.approx((30, weight(30, 3)))
    marks = {mark.day: mark for mark in found.marks}
    assert list(marks) == [0, 1, 3, 7, 14, 30]
    assert marks[7].unused == pytest.approx(weight(10, 2))
    assert (marks[30].unused, marks[30].used) == (None, None)


@pytest.mark.parametrize(
    ("fields", "renews", "ends"),
    [
        ({"importance": 0.9}, True, (None, None)),
        ({"importance": 0.1, "pinned": True}, True, (None, None)),
        ({"importance": 0.1}, False, (3, 3)),
        ({"importance": 0.1, "clock_started_at": NOW - 4 * DAY}, True, (-1, 3)),
    ],
)
def test_curve_ends_where_the_sweep_would_take_it(
    space: Space, fields: dict[str, Any], renews: bool, ends: tuple[int | None, int | None]
) -> None:
    memory = insert(space, 1, **fields)
    document = PolicyDocument.model_validate({"ttl": {"renew_on_use": renews}})

    found = curve(memory, document, NOW)

    days = [end and NOW + end * DAY for end in ends]
    assert [found.unused.goes_at, found.used.goes_at] == days
    assert found.days == (LASTING_DAYS if None in ends else 3)
    assert found.fades is not memory.pinned
    if memory.pinned:
        assert {weight for _day, weight in found.unused.points} == {0.1}
