"""The times that a statement names, such as "moved to Lisbon in March" or "übermorgen", relative to
the moment it was said, in the fifteen languages of `date_words`.

The most exact time of a statement is that of its event. A wrong day is worse than none: a month or
a day without a year is the next one, or the latest one after a past tense. In languages whose
tenses nobody reads here, it is the nearest one, or none. Yearly events have no time, and "until
March" is not when something began.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import islice
from typing import Literal

from foundation.moments import EARLIEST, beginning_of, zone_of
from memory.text.date_words import WEEK_NAMED, Form, Words, number_of, words_of
from memory.text.tense import READ, lies_ahead
from reader import language_of

Precision = Literal["day", "month", "year"]
MAX_READ = 1000
"""Characters of a statement that are read. A longer text is a document with many dates."""
MAX_TRIED = 10
"""Maximum number of dates of one form that are tried, because some, such as "31 April", do not
exist."""
NEAREST = timedelta(days=90)
"""A date without a year and without a tense that is read is at most so far away."""
_RECURS = re.compile(
    r"\b(?:birthday|name day|anniversary|every|each|annual|yearly|monthly|weekly|usually|always)\b"
    r"|生日|[纪紀記]念日|每[年月周天个]|通常|总是",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\b(?:until|till|up to|(?<!day )before)\b[^.,;]*|直到[^，。；]*", re.IGNORECASE)
# The bracket of a patched memory (reconciliation.rules.patched): a later statement.
_PATCH = re.compile(r" \[\d{4}-\d\d-\d\d: .*", re.DOTALL)
_IN_BRACKETS = re.compile(r"\s?[(（][^()（）]*\d{4}[^()（）]*[)）]")
_SKELETONS = {"day": "yMMMMd", "month": "yMMMM", "year": "y"}
_exactness = list(_SKELETONS).index
_END = 1_000  # characters of a question that are searched for times, at each end


@dataclass(frozen=True)
class Event:
    """The time of an event: the first day of its day, month or year, and the speaker's zone."""

    day: date
    precision: Precision
    zone: tzinfo

    @property
    def at(self) -> datetime:
        """The day as it is stored: its first moment in UTC, wherever the speaker is."""
        return beginning_of(self.day, UTC)

    @property
    def begins_at(self) -> datetime:
        """The first moment of the day, month or year."""
        return beginning_of(self.day, self.zone)

    @property
    def ends_at(self) -> datetime:
        """The first moment after the day, month or year."""
        days = {"day": 1, "month": 31, "year": 366}[self.precision]
        return beginning_of(_first(self.day + timedelta(days=days), self.precision), self.zone)


@dataclass(frozen=True)
class Named:
    """A time that a text names, where it names it, whether by its distance from that day, and
    whether something ends then, as in "until March"."""

    event: Event
    start: int
    end: int
    is_relative: bool
    is_end: bool


@dataclass(frozen=True)
class _Said:
    """The day of a statement, and the words in it that name a time."""

    day: date
    language: str
    text: str
    found: re.Match[str]

    @property
    def ahead(self) -> bool:
        """True if the time is after the statement."""
        return lies_ahead(self.text, *self.found.span())

    def part(self, name: str) -> str:
        """Return a part of the time, or ""."""
        return (self.found.groupdict().get(name) or "").strip()

    def later(self, unit: str, count: int) -> date:
        """Return the day so many units later, or the first day of that month or year."""
        if unit in ("day", "week"):
            return self.day + timedelta(days=count * (7 if unit == "week" else 1))
        months = count * (12 if unit == "year" else 1)
        years, month = divmod(self.day.month - 1 + months, 12)
        return date(self.day.year + years, 1 if unit == "year" else month + 1, 1)

    def weekday(self, number: int, offset: int) -> date:
        """Return this weekday before or after the statement, or that of the named week."""
        days = number - self.day.weekday()
        if WEEK_NAMED.search(self.found.group()):
            return self.day + timedelta(weeks=offset, days=days)
        after = offset > 0 or (not offset and self.ahead)
        return self.day + timedelta(days=(days - 1) % 7 + 1 if after else (days % 7) - 7)

    def with_year(self, month: int, day: int, *, has_day: bool) -> date:
        """Return the day of a date without a year. Raises ValueError if the year is unknown."""
        date(2024, month, day)  # 31 April does not exist in any year
        named = (month, day) if has_day else (month,)
        today = (self.day.month, self.day.day)[: len(named)]
        if self.language in READ:
            years = named < today if self.ahead else -(named > today)
            return date(self.day.year + years, month, day)
        near = (date(self.day.year + more, month, min(day, 28)) for more in (-1, 0, 1))
        nearest = min(near, key=lambda one: abs(one - self.day))
        if abs(nearest - self.day) > NEAREST:
            raise ValueError("last year or next year")
        return nearest.replace(day=day)


def event_in(statement: str, said_at: datetime) -> Event | None:
    """Return the time of the event in a statement, relative to the speaker's day; None if the
    statement names no time."""
    named = min(
        (one for one in times_named(statement, said_at) if not one.is_end),
        key=lambda one: (_exactness(one.event.precision), one.is_relative, one.start),
        default=None,
    )
    return named.event if named else None


def begins_at(event: Event | None, said_at: datetime) -> datetime | None:
    """Return the moment since which a statement is true, if it is earlier than the statement: "has
    lived in Porto since March". None if the statement is true since it was made."""
    return event.begins_at if event is not None and event.begins_at < said_at else None


def with_days(statement: str, said_at: datetime) -> str:
    """Return a statement in which a date follows each relative time, as in "tomorrow (28 November
    2026)", in the statement's language. Nobody knows later what "tomorrow" was."""
    written = statement
    named = (one for one in times_named(statement, said_at) if one.is_relative)
    for one in sorted(named, key=lambda one: one.end, reverse=True):
        before, after = written[: one.end], written[one.end :]
        if not after.lstrip().startswith(("(", "（")):
            written = before + _in_brackets(one.event, language_of(statement)) + after
    return written


def without_days(statement: str) -> str:
    """Return a statement without the dates that `with_days` wrote, to compare what it says."""
    if not _IN_BRACKETS.search(statement):
        return statement
    ends = [one.end for one in times_named(statement, EARLIEST) if one.is_relative]
    for end in sorted(ends, reverse=True):
        if found := _IN_BRACKETS.match(statement, end):
            statement = statement[:end] + statement[found.end() :]
    return statement


def _in_brackets(event: Event, language: str) -> str:
    from babel.dates import format_skeleton

    locale = "en_GB" if language == "en" else language
    day = format_skeleton(_SKELETONS[event.precision], event.day, locale=locale)
    return f"（{day}）" if language in ("zh", "ja") else f" ({day})"


def times_named(statement: str, said_at: datetime) -> Iterator[Named]:
    """Return the times that a statement names, the most exact first."""
    text = _PATCH.sub("", statement[:MAX_READ])
    recurs = _RECURS.search(text) is not None
    found: list[Named] = []
    for language in dict.fromkeys((language_of(text), "en")):
        for one in _times_in(text, language, said_at):
            if (one.is_relative or not recurs) and all(
                one.end <= other.start or one.start >= other.end for other in found
            ):
                found.append(one)
                yield one
        if found:
            return


def _times_in(text: str, language: str, said_at: datetime) -> Iterator[Named]:
    words, ends = words_of(language), [found.span() for found in _ENDS.finditer(text)]
    for form in words.forms:
        for match in islice(form.pattern.finditer(text), MAX_TRIED):
            said = _Said(said_at.date(), language, text, match)
            try:
                event = _event(form, said, words, said_at)
            except (ValueError, OverflowError):
                continue  # 31 April, or before the year 2
            is_relative = form.offset is not None or form.sign != 0
            is_end = any(start <= match.start() < end for start, end in ends)
            yield Named(event, *match.span(), is_relative, is_end)


def _event(form: Form, said: _Said, words: Words, said_at: datetime) -> Event:
    """Return the time that is meant. Raises ValueError if there is none, and for the year 1, which
    begins in the year 0 in some zones."""
    if (day := _day(form, said, words)).year == 1:
        raise ValueError("too early")
    precision: Precision = "month" if form.unit == "week" else form.unit
    if said.part("day") or said.part("weekday"):
        precision = "day"
    elif said.part("month"):
        precision = "month"
    return Event(_first(day, precision), precision, zone_of(said_at))


def _first(day: date, precision: Precision) -> date:
    """Return the day, or the first one of its month or year."""
    month = 1 if precision == "year" else day.month
    return date(day.year, month, day.day if precision == "day" else 1)


def _day(form: Form, said: _Said, words: Words) -> date:
    """Return the day that a form means. Raises ValueError if it does not exist."""
    if form.weekday is not None:
        return said.weekday(form.weekday, form.offset or 0)
    if name := said.part("weekday"):
        return said.weekday(words.weekdays[name], form.offset or 0)
    if form.sign:
        return said.later(form.unit, form.sign * _counted(said.part("count"), words))
    month = said.part("month")
    number = words.months.get(month) or number_of(month) if month else 0
    day = number_of(said.part("day")) if said.part("day") else 1
    if form.offset is None:
        if year := said.part("year"):
            return date(int(year), number or 1, day)
        return said.with_year(number, day, has_day=bool(said.part("day")))
    near = said.later(form.unit, form.offset)
    return near.replace(month=number or near.month, day=day) if month or said.part("day") else near


def _counted(text: str, words: Words) -> int:
    """Return a number in digits or words; raises ValueError for another text."""
    if number := words.counts.get(text.lower()) or number_of(text.replace("两", "二")):
        return number
    raise ValueError(f"not a number: {text}")


def asking_part(question: str) -> str:
    """Return the part of a question that is searched for times: both ends of a very long one."""
    return question if len(question) <= 2 * _END else f"{question[:_END]}\n{question[-_END:]}"


def day_words(day: date) -> str:
    """Return the date as day, English month name and year, as memories are indexed."""
    return f"{day.day} {day:%B %Y}"


def with_dates(question: str, now: datetime) -> str:
    """Return the question, followed by its dates in the index's words: "2 May 2023" for yesterday.

    A memory with a speaker is indexed with its date (passages.py), so these words find memories
    from that day, month or year.
    """
    days = [
        day_words(one.event.day).split(" ", _exactness(one.event.precision))[-1]
        for one in times_named(asking_part(question), now)
    ]
    return " ".join([question, *days])
