"""The time of an event in a statement, such as "moved to Lisbon in March", relative to the day it
was said.

store.services calls this whenever it writes a memory's text. The most exact time in the statement
counts. A month or a day without a year is the next one, or after a past tense the latest one.
Yearly events have no time, and "until March" is not when something began.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice

from foundation.moments import zone_of
from memory.text.dates import month_of, number_of
from memory.text.events import Event, Precision
from memory.text.tense import lies_ahead

MAX_READ = 1000
"""Characters of a statement that are read. A longer text is a document with many dates."""

MAX_TRIED = 10
"""Maximum number of dates of one form that are tried, because some, such as "31 April", do not
exist.
"""

_RECURS = re.compile(
    r"\b(?:birthday|name day|anniversary|every|each|annual|yearly|monthly|weekly|usually|always)\b"
    r"|生日|[纪紀記]念日|每[年月周天个]|通常|总是",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\b(?:until|till|up to|(?<!day )before)\b[^.,;]*|直到[^，。；]*", re.IGNORECASE)
# The bracket of a patched memory (reconciliation.rules.patched): a later statement.
_PATCH = re.compile(r" \[\d{4}-\d\d-\d\d: .*", re.DOTALL)
_MONTHS = (
    "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    "|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?"
)
_MONTH = rf"(?P<month>{_MONTHS})\b\.?"
_DAY = r"\b(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS_OF_WEEK = "|".join(_WEEKDAYS)
_IN = "in|since|during|around|from"
_COUNTS = ("a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNT = rf"(?P<count>\d{{1,3}}|an?|one|a couple of|{'|'.join(_COUNTS[1:])})"
# Chinese numbers. No other number precedes the number of a month.
_ZH = "一二三四五六七八九十"
_ZH_YEAR = r"(?:(?P<year>(?:19|20)\d\d)\s?年|(?P<near>去年|今年|明年|前年)的?)"
_ZH_MONTH = rf"(?<![\d{_ZH}])(?P<month>\d{{1,2}}|[{_ZH}]{{1,2}})\s?月(?!前)"
_ZH_COUNT = rf"(?P<count>\d{{1,3}}|[两半{_ZH}]{{1,2}})"
_OFF = {"last": -1, "this": 0, "next": 1, "上": -1, "这": 0, "本": 0, "下": 1}
_DAYS_OFF = {
    "the day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0,
    "this morning": 0, "tonight": 0, "tomorrow": 1,
    "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "今天": 0, "今早": 0, "今晚": 0, "明天": 1,
    "后天": 2,
}  # fmt: skip
_ENGLISH_DAYS = "|".join(words for words in _DAYS_OFF if words.isascii())
_YEARS_OFF = {
    "last year": -1, "this year": 0, "next year": 1, "前年": -2, "去年": -1, "今年": 0, "明年": 1,
}  # fmt: skip


@dataclass(frozen=True)
class _Said:
    """The day of a statement, and the position of the words that name a time."""

    day: date
    words: str
    start: int
    end: int

    @property
    def ahead(self) -> bool:
        """True if the time is after the statement."""
        return lies_ahead(self.words, self.start, self.end)

    def year_of(self, *named: int) -> int:
        """Return the year of a month, or of a month and a day, that has no year."""
        today = (self.day.month, self.day.day)[: len(named)]
        return self.day.year + (named < today if self.ahead else -(named > today))

    def months_off(self, months: int) -> date:
        """Return the first day of the month that is this many months later or earlier."""
        years, month = divmod(self.day.month - 1 + months, 12)
        return date(self.day.year + years, month + 1, 1)


_Parts = Mapping[str, str | None]
_Reader = Callable[[_Parts, _Said], date]


def event_in(statement: str, said_at: datetime) -> Event | None:
    """Return the time of the event in a statement, relative to the speaker's day; None if the
    statement names no time."""
    text = _ENDS.sub(" ", _PATCH.sub("", statement[:MAX_READ]))
    if _RECURS.search(text):
        return None
    for precision, pattern, read in _READERS:
        for found in islice(pattern.finditer(text), MAX_TRIED):
            said = _Said(said_at.date(), text, *found.span())
            try:
                day = _first_day(read(found.groupdict(), said), precision)
            except (ValueError, OverflowError):
                continue  # 31 April, or before the year 2
            return Event(day, precision, said.ahead, zone_of(said_at))
    return None


def begins_at(event: Event | None, said_at: datetime) -> datetime | None:
    """Return the moment since which a statement is true, if it is earlier than the statement: "has
    lived in Porto since March". None if the statement is true since it was made."""
    return event.begins_at if event is not None and event.begins_at < said_at else None


def _first_day(day: date, precision: Precision) -> date:
    """Return the day, or the first one of its month or year. Raises ValueError for the year 1,
    which begins in the year 0 in some zones."""
    if day.year == 1:
        raise ValueError("too early")
    month = 1 if precision == "year" else day.month
    return date(day.year, month, day.day if precision == "day" else 1)


def _written(parts: _Parts, said: _Said) -> date:
    """Return the day of a date with a month, and optionally a year and a day."""
    month, day = month_of(parts["month"] or ""), number_of(parts.get("day") or "1")
    named: tuple[int, ...] = (month, day) if parts.get("day") else (month,)
    if parts.get("year"):
        return date(int(parts["year"] or 0), month, day)
    if parts.get("near"):
        return date(_year_off(parts, said).year, month, day)
    date(2024, month, day)  # 31 April does not exist in any year
    return date(said.year_of(*named), month, day)


def _near_day(parts: _Parts, said: _Said) -> date:
    return said.day + timedelta(days=_DAYS_OFF[(parts["near"] or "").lower()])


def _weekday(parts: _Parts, said: _Said) -> date:
    """Return the next such weekday, or the latest one before the statement."""
    wanted = _number_of_weekday(parts)
    if said.ahead:
        return said.day + timedelta(days=(wanted - said.day.weekday() - 1) % 7 + 1)
    return said.day - timedelta(days=(said.day.weekday() - wanted - 1) % 7 + 1)


def _number_of_weekday(parts: _Parts) -> int:
    """Return 0 for Monday, by its English name or by the last character of the Chinese one."""
    name = (parts["weekday"] or "").lower()
    if name in _WEEKDAYS:
        return _WEEKDAYS.index(name)
    return 6 if name in "日天" else number_of(name) - 1


def _weekday_of_week(parts: _Parts, said: _Said) -> date:
    """Return a weekday of the last, this or the next week."""
    days = _number_of_weekday(parts) - said.day.weekday()
    return _week_off(parts, said) + timedelta(days=days)


def _written_year(parts: _Parts, said: _Said) -> date:
    return date(int(parts["year"] or 0), 1, 1)


def _days_ago(parts: _Parts, said: _Said) -> date:
    return said.day - timedelta(days=_counted(parts["count"]))


def _weeks_ago(parts: _Parts, said: _Said) -> date:
    return said.day - timedelta(weeks=_counted(parts["count"]))


def _week_off(parts: _Parts, said: _Said) -> date:
    return said.day + timedelta(weeks=_OFF[(parts["off"] or "").lower()])


def _months_ago(parts: _Parts, said: _Said) -> date:
    return said.months_off(-_counted(parts["count"]))


def _month_off(parts: _Parts, said: _Said) -> date:
    return said.months_off(_OFF[(parts["off"] or "").lower()])


def _day_of_month_off(parts: _Parts, said: _Said) -> date:
    return _month_off(parts, said).replace(day=number_of(parts["day"] or ""))


def _years_ago(parts: _Parts, said: _Said) -> date:
    return date(said.day.year - _counted(parts["count"]), 1, 1)


def _year_off(parts: _Parts, said: _Said) -> date:
    return date(said.day.year + _YEARS_OFF[(parts["near"] or "").lower()], 1, 1)


def _counted(text: str | None) -> int:
    """Return a number in digits, English or Chinese; raises ValueError for half a month."""
    words = (text or "").lower()
    if words in _COUNTS:
        return _COUNTS.index(words) + 1
    if words in {"an", "one"}:
        return 1
    if words in {"a couple of", "两"}:
        return 2
    if not (number := number_of(words)):
        raise ValueError(f"not a whole number: {text}")
    return number


# The most exact first: "3 March 2024" is also a month and a year.
_PATTERNS: list[tuple[Precision, str, _Reader]] = [
    ("day", r"(?<!\d)(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)", _written),
    ("day", rf"{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?", _written),
    ("day", rf"\b{_MONTH} {_DAY}(?!\d)(?:,? {_YEAR})?", _written),
    (
        "day",
        rf"(?:{_ZH_YEAR})?\s?{_ZH_MONTH}\s?(?P<day>\d{{1,2}}|[{_ZH}]{{1,3}})\s?[日号號]",
        _written,
    ),
    ("day", rf"(?i)\b(?P<near>{_ENGLISH_DAYS})\b", _near_day),
    (
        "day",
        r"(?P<near>(?<![大目])前天(?!气)|昨[天日晚]|今[天早晚]|明天|(?<!以)后天(?!天))",
        _near_day,
    ),
    ("day", rf"(?i)\b{_COUNT} days? ago\b", _days_ago),
    ("day", rf"{_ZH_COUNT} ?天[以之]?前", _days_ago),
    (
        "day",
        rf"(?i)\b(?:last|next|this|this past) (?P<weekday>{_DAYS_OF_WEEK})\b",
        _weekday,
    ),
    (
        "day",
        r"(?P<off>[上这本下])个?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])",
        _weekday_of_week,
    ),
    (
        "day",
        rf"(?P<off>[上这本下])个?月\s?(?P<day>\d{{1,2}}|[{_ZH}]{{1,3}})\s?[日号號]",
        _day_of_month_off,
    ),
    (
        "day",
        rf"(?i)\b(?P<weekday>{_DAYS_OF_WEEK}) (?P<off>last|this|next) week\b",
        _weekday_of_week,
    ),
    ("day", rf"(?i)\b(?:on|by|for) (?P<weekday>{_DAYS_OF_WEEK})\b(?! \w+s\b)", _weekday),
    ("month", r"(?<!\d)(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?![\d-])", _written),
    ("month", rf"\b{_MONTH},? (?:of )?{_YEAR}", _written),
    (
        "month",
        rf"\b(?i:{_IN}|last|this|next|early|late) (?i:early |late |mid[- ]?)?{_MONTH}",
        _written,
    ),
    ("month", rf"(?:{_ZH_YEAR})?\s?{_ZH_MONTH}", _written),
    ("month", rf"(?i)\b{_COUNT} months? ago\b", _months_ago),
    ("month", rf"{_ZH_COUNT} ?个月[以之]?前", _months_ago),
    ("month", r"(?i)\b(?P<off>last|this|next) month\b", _month_off),
    ("month", r"(?P<off>[上这本下])个?月", _month_off),
    ("month", rf"(?i)\b{_COUNT} weeks? ago\b", _weeks_ago),
    ("month", rf"{_ZH_COUNT} ?(?:周|个?星期)[以之]?前", _weeks_ago),
    ("month", r"(?i)\b(?P<off>last|this|next) week\b", _week_off),
    ("month", r"(?P<off>[上这本下])个?(?:周|星期)", _week_off),
    ("year", rf"\b(?i:{_IN}|early|late|of) {_YEAR}", _written_year),
    ("year", r"(?<!\d)(?P<year>(?:19|20)\d\d) ?年", _written_year),
    ("year", rf"(?i)\b{_COUNT} years? ago\b", _years_ago),
    ("year", rf"{_ZH_COUNT} ?年[以之]?前", _years_ago),
    ("year", r"(?i)\b(?P<near>last year|this year|next year)\b", _year_off),
    ("year", r"(?P<near>去年|今年|明年|(?<![目以之])前年)", _year_off),
]
_READERS = [(precision, re.compile(text), read) for precision, text, read in _PATTERNS]
