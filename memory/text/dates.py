"""Dates in a question, as the index writes them: "2 May 2023" for 5月2日 or for yesterday.

A memory with a speaker is indexed with its date (passages.py), so these words find memories from
that day, month or year. English dates already use the words of the index. dateparser did not work:
it took 20 ms for a question without a date, read "5月2日" as 16 November, and "May I …" as a month.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

_FIRST_LETTERS = "janfebmaraprmayjunjulaugsepoctnovdec"
_CHINESE_DIGITS = "一二三四五六七八九"
_NUMBER = r"(\d{1,2}|[一二三四五六七八九十]{1,3})"
# 2023年5月2日, 5月2号, 五月, 2023年5月; in Japanese and Korean the same with 日 and 월, 일.
_WRITTEN = re.compile(
    rf"(?:(\d{{4}})\s?[年년]\s?)?(?<![\d一二三四五六七八九十]){_NUMBER}\s?[月월](?!前)"
    rf"(?:\s?{_NUMBER}\s?[日号號일])?"
)
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
# "2nd of May", "May 2nd": the index has "2".
_ORDINAL = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th) (?:of )?{_MONTH}\b"
    rf"|\b{_MONTH} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)\b",
    re.IGNORECASE,
)
_COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_DAYS_AGO = re.compile(
    rf"(\d{{1,3}}|{'|'.join(_COUNTS)}|[一二三四五六七八九十]{{1,3}})"
    " ?(?:days? ago|天前|天以前|日前)",
    re.IGNORECASE,
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = re.compile(
    rf"\b(?:last|on|this past) ({'|'.join(_WEEKDAYS)})\b|上(?:周|星期|礼拜)([一二三四五六日天])",
    re.IGNORECASE,
)
_NEAR = re.compile(
    r"(?P<two>\bthe day before yesterday\b|前天|一昨日)"
    r"|(?P<one>\byesterday\b|\blast night\b|昨[天晚日])"
    r"|(?P<none>\btoday\b|\bthis morning\b|今[天早日])",
    re.IGNORECASE,
)
_END = 1_000  # characters
_LAST_MONTH = re.compile(r"\blast month\b|上个?月|先月", re.IGNORECASE)
_LAST_YEAR = re.compile(r"\blast year\b|去年", re.IGNORECASE)


def day_words(day: date) -> str:
    """Return the date as day, English month name and year, as memories are indexed."""
    return f"{day.day} {day:%B %Y}"


def asking_part(question: str) -> str:
    """Return the part of a question that is searched for times: both ends of a very long
    question.
    """
    return question if len(question) <= 2 * _END else f"{question[:_END]}\n{question[-_END:]}"


def with_dates(question: str, now: datetime) -> str:
    """Return the question, followed by its dates in the index's words."""
    asking = asking_part(question)
    return " ".join([question, *_written(asking), *_relative(asking, now.date())])


def _written(question: str) -> Iterator[str]:
    """Return numeric dates as "2 May 2023", "2 May", "May 2023" or "May", and the number of "2nd of
    May".
    """
    for before, after in _ORDINAL.findall(question):
        yield before or after
    for year, *parts in _WRITTEN.findall(question) + _ISO.findall(question):
        month, day = map(number_of, parts)
        if 1 <= month <= 12 and day <= 31:
            yield " ".join(filter(None, [str(day or ""), f"{date(2000, month, 1):%B}", year]))


def number_of(text: str) -> int:
    """Return the number written in digits, or in Chinese up to 99; 0 for no text."""
    if text.isdecimal():
        return int(text)
    tens, ten, units = text.rpartition("十")
    value = _CHINESE_DIGITS.find(units) + 1 if units else 0
    return value + (10 * (_CHINESE_DIGITS.find(tens) + 1 if tens else 1) if ten else 0)


def month_of(text: str) -> int:
    """Return the number of a month, by its English name or by its number; raises ValueError for
    another name."""
    if text.isascii() and text.isalpha():
        return _FIRST_LETTERS.index(text[:3].lower()) // 3 + 1
    return number_of(text)


def _relative(question: str, today: date) -> Iterator[str]:
    for found in _NEAR.finditer(question):
        back = {"none": 0, "one": 1, "two": 2}[str(found.lastgroup)]
        yield day_words(today - timedelta(days=back))
    for days in _DAYS_AGO.findall(question):
        yield day_words(today - timedelta(days=_count_of(days.lower())))
    for found in _WEEKDAY.finditer(question):
        yield day_words(_last_weekday(found, today))
    if _LAST_MONTH.search(question):
        yield f"{today.replace(day=1) - timedelta(days=1):%B %Y}"
    if _LAST_YEAR.search(question):
        yield str(today.year - 1)


def _count_of(text: str) -> int:
    return _COUNTS.index(text) + 2 if text in _COUNTS else number_of(text)


def _last_weekday(found: re.Match[str], today: date) -> date:
    """Return the latest such weekday before today; in Chinese, the weekday of last week."""
    if found[1]:
        back = (today.weekday() - _WEEKDAYS.index(found[1].lower()) - 1) % 7 + 1
        return today - timedelta(days=back)
    wanted = 6 if found[2] in "日天" else _CHINESE_DIGITS.index(found[2])
    return today - timedelta(days=today.weekday() + 7 - wanted)
