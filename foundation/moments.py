"""Moments in the time zone of the person who speaks: "today" depends on both.

Such a moment is a datetime with the offset of the zone at that moment, and with the zone's name as
`tzname()`. With a `ZoneInfo` instead, Python adds by the wall clock: an hour after 01:30 could be
two hours later. The fixed offset keeps lifetimes and leases exact, and the name finds other days.
"""

from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

MAX_ZONE = 64
"""The longest name of a zone, in characters."""
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
FUTURE = timedelta(days=1)
"""How far the clock of a caller may be ahead of ours."""
MILLISECONDS = 1e11
"""Numbers above this count milliseconds since 1970, not seconds."""
_LEAST_AS_TEXT = 1e8
"""Shorter numbers in a text may be a year or a day."""
_WRONG = "must be a date and time"


@cache
def zone_names() -> frozenset[str]:
    """Return the names of all zones. Python reads them from the disk each time."""
    return frozenset(available_timezones())


@cache
def zones_of_places() -> list[str]:
    """Return the names of the zones for people to choose, sorted: those of a place."""
    parts = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian")
    return sorted(name for name in zone_names() if name.startswith((*parts, "Pacific", "Arctic")))


def zone_called(name: str) -> tzinfo:
    """Return the zone with this IANA name, or with a name such as "UTC-03:00". Raises
    ValueError."""
    if name == "UTC":
        return UTC
    if name in zone_names():
        return ZoneInfo(name)
    try:
        offset = datetime.strptime(name, "UTC%z").utcoffset()
    except ValueError:
        raise ValueError("must be the IANA name of a time zone, such as Asia/Shanghai") from None
    return timezone(offset or timedelta())


def checked_zone(name: str) -> str:
    """Return the name of a zone. Raises ValueError."""
    zone_called(name)
    return name


def stored_zone(name: str) -> tzinfo:
    """Return the zone with this stored name; UTC for "" and for a name that is unknown here."""
    try:
        return zone_called(name)
    except ValueError:
        return UTC


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """Return the moment with the offset and the name of the zone."""
    local = moment.astimezone(zone)
    return local.replace(tzinfo=timezone(local.utcoffset() or timedelta(), str(zone)), fold=0)


def zone_of(moment: datetime) -> tzinfo:
    """Return the zone of a moment, by the name that `in_zone` gave it."""
    if isinstance(moment.tzinfo, ZoneInfo):
        return moment.tzinfo
    try:
        return zone_called(moment.tzname() or "")
    except ValueError:
        return moment.tzinfo or UTC


def zone_name(moment: datetime) -> str:
    """Return the name of the moment's zone, for `stored_zone`."""
    return str(zone_of(moment))


def beside(moment: datetime, now: datetime) -> datetime:
    """Return a moment in the zone of another one: of the person who speaks now."""
    return in_zone(moment, zone_of(now))


def beginning_of(day: date, zone: tzinfo) -> datetime:
    """Return the first moment of a day in this zone."""
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)


def end_of(day: date, now: datetime) -> datetime:
    """Return the last moment of a day, in the zone of the person who speaks now."""
    next_day = beginning_of(day + timedelta(days=1), zone_of(now))
    return beside(next_day - timedelta(microseconds=1), now)


def read_moment(given: object) -> datetime:
    """Return a time that a program wrote: ISO 8601, PostgreSQL's format, or seconds or
    milliseconds since 1970. It is naive if it names no zone. Raises ValueError."""
    from django.utils.dateparse import parse_datetime  # the built-in assessor runs without Django

    if isinstance(given, datetime):
        return given
    if isinstance(given, int | float) and not isinstance(given, bool):
        return _since_1970(given)
    if not isinstance(given, str):
        raise ValueError(_WRONG)
    try:
        found = parse_datetime(given.strip().upper())
    except ValueError:
        raise ValueError(_WRONG) from None
    return found or _number(given)


def _number(text: str) -> datetime:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(_WRONG) from None
    if not number >= _LEAST_AS_TEXT:
        raise ValueError(_WRONG)
    return _since_1970(number)


def _since_1970(number: float) -> datetime:
    try:
        return datetime.fromtimestamp(number / 1000 if number > MILLISECONDS else number, UTC)
    except (OverflowError, OSError, ValueError):
        raise ValueError(_WRONG) from None


def aware(moment: datetime, zone: tzinfo = UTC) -> datetime:
    """Return the moment in UTC; a naive one is in this zone. Raises ValueError outside the years 1
    to 9999."""
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except OverflowError:
        raise ValueError("must be between the years 1 and 9999 in UTC") from None


def in_calendar(moment: datetime) -> datetime:
    """Return the moment, which may be naive. Raises ValueError outside the years 1 to 9999."""
    aware(moment)
    return moment


def spoken(moment: datetime, zone: tzinfo) -> datetime:
    """Return a moment that a caller gave, in the zone of its speaker: that of its own offset, or
    this one for a naive moment. Raises ValueError outside the years 1 to 9999.

    Programs write UTC for moments of any place, so UTC says nothing about the speaker. An offset
    that this zone has at that moment means this zone.
    """
    offset, at = moment.utcoffset(), aware(moment, zone)
    try:
        here = in_zone(at, zone)
    except OverflowError:
        raise ValueError("must be between the years 1 and 9999 in UTC") from None
    return here if not offset or offset == here.utcoffset() else in_zone(at, timezone(offset))


def plausible(moment: datetime, now: datetime) -> datetime:
    """Return the moment at which something was said. Raises ValueError before 1970, and more than
    a day in the future."""
    if moment < EARLIEST:
        raise ValueError("must not be before 1970")
    if moment > now + FUTURE:
        raise ValueError("must not be more than a day in the future")
    return moment
