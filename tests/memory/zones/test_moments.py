"""Times as programs write them, and the zone of the person who speaks."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from foundation.moments import (
    aware,
    beginning_of,
    end_of,
    in_zone,
    plausible,
    read_moment,
    spoken,
    stored_zone,
    zone_called,
    zone_name,
    zone_of,
)

SAID = datetime(2026, 7, 9, 10, 39, 17, tzinfo=UTC)
SHANGHAI, NEW_YORK = zone_called("Asia/Shanghai"), zone_called("America/New_York")


@pytest.mark.parametrize(
    "given",
    [
        "2026-07-09T10:39:17Z",
        "2026-07-09t10:39:17z",
        "2026-07-09T12:39:17+02:00",
        "2026-07-09 10:39:17+00",
        "2026-07-09 10:39:17.000+0000",
        " 2026-07-09T10:39:17Z\n",
        1783593557,
        1783593557.0,
        1783593557000,
        "1783593557",
    ],
)
def test_a_time_is_read_in_each_form(given: object) -> None:
    assert read_moment(given) == SAID


def test_postgres_writes_parts_of_a_second() -> None:
    expected = datetime(2026, 7, 9, 10, 39, 17, 281000, tzinfo=UTC)
    assert read_moment("2026-07-09 10:39:17.281+00") == expected


@pytest.mark.parametrize(
    "given",
    [None, True, [], {}, "", "soon", "2026", "20", "12.5", "nan", "1e3", "2026-13-01T00:00:00Z",
     "2026-02-30", float("nan"), float("inf"), 1e300, "1e300"],
)  # fmt: skip
def test_anything_else_is_refused(given: object) -> None:
    with pytest.raises(ValueError, match="must be a date and time"):
        read_moment(given)


@pytest.mark.parametrize(
    ("given", "zone", "expected"),
    [
        # Its own offset says where the speaker is.
        ("2026-07-31T22:06:00-03:00", "Asia/Shanghai", ("UTC-03:00", date(2026, 7, 31))),
        # The same offset as the zone's is the zone's.
        ("2026-09-15T07:30:00+08:00", "Asia/Shanghai", ("Asia/Shanghai", date(2026, 9, 15))),
        # In summer New York is four hours behind, so five hours are another place.
        ("2026-07-31T22:06:00-05:00", "America/New_York", ("UTC-05:00", date(2026, 7, 31))),
        # UTC is the form of a moment, and says nothing about the speaker.
        ("2026-09-14T23:30:00Z", "Asia/Shanghai", ("Asia/Shanghai", date(2026, 9, 15))),
        ("2026-09-14T23:30:00+00:00", "UTC", ("UTC", date(2026, 9, 14))),
        # Without an offset it is the speaker's own clock.
        ("2026-09-15T07:30:00", "Asia/Shanghai", ("Asia/Shanghai", date(2026, 9, 15))),
    ],
)
def test_the_zone_of_a_given_time(given: str, zone: str, expected: tuple[str, date]) -> None:
    said = spoken(read_moment(given), zone_called(zone))

    assert (zone_name(said), said.date()) == expected
    assert zone_of(said) == stored_zone(zone_name(said))


def test_a_moment_in_a_zone_is_added_to_exactly_when_the_clocks_change() -> None:
    before = in_zone(datetime(2026, 11, 1, 5, 30, tzinfo=UTC), NEW_YORK)  # 01:30 in summer

    assert before + timedelta(hours=1) == datetime(2026, 11, 1, 6, 30, tzinfo=UTC)


def test_a_day_of_the_change_has_its_own_length() -> None:
    spring, autumn = date(2026, 3, 8), date(2026, 11, 1)
    lengths = [
        beginning_of(day + timedelta(days=1), NEW_YORK) - beginning_of(day, NEW_YORK)
        for day in (spring, autumn)
    ]
    assert lengths == [timedelta(hours=23), timedelta(hours=25)]
    end = end_of(autumn, in_zone(SAID, NEW_YORK))
    assert end == datetime(2026, 11, 2, 4, 59, 59, 999999, tzinfo=UTC)


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../etc/passwd", "UTC+99:00", "EST5EDT6"])
def test_an_unknown_zone_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="IANA name"):
        zone_called(name)
    assert stored_zone(name) == UTC


def test_an_offset_is_a_zone_too() -> None:
    assert zone_called("UTC-03:00") == timezone(timedelta(hours=-3))


@pytest.mark.parametrize(
    "moment",
    [datetime(1969, 12, 31, 23, 59, tzinfo=UTC), SAID + timedelta(days=1, seconds=1)],
)
def test_nobody_spoke_before_1970_or_after_tomorrow(moment: datetime) -> None:
    with pytest.raises(ValueError, match="must not be"):
        plausible(moment, SAID)


@pytest.mark.parametrize("moment", [datetime(1970, 1, 1, tzinfo=UTC), SAID + timedelta(days=1)])
def test_the_bounds_are_plausible(moment: datetime) -> None:
    assert plausible(moment, SAID) == moment


def test_a_time_beyond_the_calendar_is_refused() -> None:
    with pytest.raises(ValueError, match="between the years"):
        aware(datetime(1, 1, 1), SHANGHAI)
    with pytest.raises(ValueError, match="between the years"):
        spoken(datetime(9999, 12, 31, 23, tzinfo=UTC), SHANGHAI)
