"""The timeline: each event in its step, and only those that were asked for."""

from datetime import date, timedelta

import pytest
from django.test import Client

from accounts.models import Space
from foundation.actors import SYSTEM
from foundation.readers import EVERYONE
from memory.retention.recycle_bin import delete_memory, restore_memory
from memory.retention.timeline import (
    KINDS,
    LONGEST,
    STEPS,
    Period,
    count_by_step,
    events_of,
    first_day,
)
from tests.memory.sweeping import DAY
from tests.memory.writing import NOW, remember
from tests.pages import client, shown

__all__ = ["client"]

pytestmark = pytest.mark.django_db
TODAY = NOW.date()


def counted(space: Space, period: Period, **narrower: str) -> dict[date, dict[str, int]]:
    """First day of a step → numbers by kind, without empty ones."""
    events = events_of(space=space, reader=EVERYONE, period=period, kinds=list(KINDS), **narrower)
    steps = count_by_step(events, period)
    return {
        step.since: {kind: n for kind, n in step.counts.items() if n}
        for step in steps
        if any(step.counts.values())
    }


def test_each_event_counts_in_its_step_and_kind(space: Space, other_space: Space) -> None:
    remember(other_space, "not ours")
    memory = remember(space, "comes and goes", now=NOW - 3 * DAY)
    delete_memory(space=space, memory_id=memory.pk, actor=SYSTEM, now=NOW - DAY)
    restore_memory(space=space, memory_id=memory.pk, actor=SYSTEM, now=NOW)
    period = Period(TODAY - timedelta(days=9), TODAY)

    assert counted(space, period) == {
        TODAY - timedelta(days=3): {"saved": 1},
        TODAY - timedelta(days=1): {"removed": 1},
        TODAY: {"saved": 1},
    }


def test_a_type_narrows_to_memories_that_have_it_now(space: Space) -> None:
    remember(space, "a goal", memory_type="goal")
    remember(space, "a fact", memory_type="fact")
    period = Period(TODAY, TODAY)

    assert counted(space, period, memory_type="goal") == {TODAY: {"saved": 1}}


def test_two_days_have_hours_and_more_days_have_few_steps() -> None:
    assert Period(TODAY, TODAY).step == timedelta(hours=1)
    assert Period(TODAY - timedelta(days=2), TODAY).step == timedelta(days=1)
    year = Period(TODAY - timedelta(days=LONGEST - 1), TODAY)
    assert -(-year.days // year.step.days) <= STEPS


def test_the_last_step_ends_with_the_period(space: Space) -> None:
    period = Period(TODAY - timedelta(days=100), TODAY)
    events = events_of(space=space, reader=EVERYONE, period=period, kinds=["saved"])

    steps = count_by_step(events, period)

    assert steps[0].since == period.since
    assert steps[-1].until == TODAY
    assert all(
        a.until + timedelta(days=1) == b.since for a, b in zip(steps, steps[1:], strict=False)
    )


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (None, None, (TODAY - timedelta(days=4), TODAY)),  # since the first event
        (TODAY - timedelta(days=9), None, (TODAY - timedelta(days=9), TODAY)),
        (TODAY, TODAY - timedelta(days=3), (TODAY - timedelta(days=3),) * 2),
        (None, TODAY + timedelta(days=5), (TODAY - timedelta(days=4), TODAY)),
        (date(1, 1, 1), None, (TODAY - timedelta(days=LONGEST - 1), TODAY)),
    ],
)
def test_any_two_days_make_a_period(
    since: date | None, until: date | None, expected: tuple[date, date]
) -> None:
    period = Period.of(since, until, today=TODAY, first=TODAY - timedelta(days=4))

    assert (period.since, period.until) == expected


def test_the_first_day_is_that_of_the_first_event(space: Space) -> None:
    assert first_day(space=space, reader=EVERYONE, now=NOW) == NOW.date()
    remember(space, "old", now=NOW - 5 * DAY)

    assert first_day(space=space, reader=EVERYONE, now=NOW) == (NOW - 5 * DAY).date()


def test_the_page_shows_the_chosen_time_and_its_events(client: Client, space: Space) -> None:
    remember(space, "User likes <tea>", now=NOW)
    remember(space, "User likes coffee", now=NOW - 40 * DAY)
    day = str(TODAY)

    page = shown(client, space, "overview_timeline", since=day, until=day)

    assert "User likes &lt;tea&gt;" in page
    assert "coffee" not in page
    assert page.count("data-since") == 24
    only_used = shown(client, space, "overview_timeline", since=day, until=day, kind="used")
    assert "Nothing happened in this period." in only_used


def test_nonsense_in_the_address_shows_the_usual_time(client: Client, space: Space) -> None:
    page = shown(client, space, "overview_timeline", since="yesterday", kind="all", type="cat")

    assert "Nothing happened in this period." in page
