"""The day of an event is the speaker's: on both sides of midnight, and when the clocks change."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from accounts.models import Space
from foundation.moments import in_zone
from memory.models import Memory
from memory.policies.services import change_policy
from memory.text.event_dates import begins_at, event_in
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import ALICE, NOW, remember, stored

pytestmark = pytest.mark.django_db
ZONES = [
    "Asia/Shanghai", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata", "Pacific/Auckland",
]  # fmt: skip


def _said(day: datetime, zone: str) -> datetime:
    return in_zone(day.replace(tzinfo=ZoneInfo(zone)), ZoneInfo(zone))


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("time", [(0, 1), (7, 30), (12, 0), (20, 0), (23, 59)])
@pytest.mark.parametrize(
    ("words", "days"),
    [("I have an exam tomorrow", 1), ("我明天有考试", 1), ("I broke my arm today", 0),
     ("我昨天搬家了", -1)],
)  # fmt: skip
def test_a_near_day_is_the_speakers(
    zone: str, time: tuple[int, int], words: str, days: int
) -> None:
    said = _said(datetime(2026, 7, 15, *time), zone)

    event = event_in(words, said)

    assert event is not None
    assert event.day == date(2026, 7, 15) + timedelta(days=days)
    assert event.begins_at.astimezone(ZoneInfo(zone)).hour == 0


@pytest.mark.parametrize(
    ("zone", "said", "tomorrow", "begins"),
    [
        # The clocks go forward on 8 March and back on 1 November.
        ("America/New_York", (2026, 3, 7, 23, 30), (2026, 3, 8), (2026, 3, 8, 5)),
        ("America/New_York", (2026, 3, 8, 23, 30), (2026, 3, 9), (2026, 3, 9, 4)),
        ("America/New_York", (2026, 10, 31, 23, 30), (2026, 11, 1), (2026, 11, 1, 4)),
        ("America/New_York", (2026, 11, 1, 0, 30), (2026, 11, 2), (2026, 11, 2, 5)),
        ("Pacific/Auckland", (2026, 4, 4, 23, 30), (2026, 4, 5), (2026, 4, 4, 11)),
        ("Pacific/Auckland", (2026, 9, 27, 0, 30), (2026, 9, 28), (2026, 9, 27, 11)),
        # At midnight of this day the clocks of São Paulo went from 0 to 1.
        ("America/Sao_Paulo", (2018, 11, 3, 22, 0), (2018, 11, 4), (2018, 11, 4, 3)),
    ],
)
def test_tomorrow_when_the_clocks_change(
    zone: str, said: tuple[int, ...], tomorrow: tuple[int, ...], begins: tuple[int, ...]
) -> None:
    event = event_in("I have an exam tomorrow", _said(datetime(*said), zone))  # type: ignore[arg-type]  # a date and a time

    assert event is not None
    assert event.day == date(*tomorrow)
    assert event.begins_at == datetime(*begins, tzinfo=UTC)  # type: ignore[arg-type, misc]


def test_a_fact_is_true_since_the_speakers_midnight() -> None:
    said = _said(datetime(2026, 7, 15, 20), "America/New_York")

    event = event_in("I moved to Lisbon yesterday", said)

    assert begins_at(event, said) == datetime(2026, 7, 14, 4, tzinfo=UTC)


def test_an_event_of_tomorrow_is_kept_wherever_it_is_tomorrow(space: Space) -> None:
    """In New York 1 January begins at 05:00 UTC, after it has begun in UTC."""
    said = _said(datetime(2026, 12, 31, 20), "America/New_York")

    change_policy(space=space, changes={"ttl": {"low_days": 0.1}}, actor=ALICE, now=NOW)

    memory = remember(space, "User has an exam tomorrow", now=said, importance=0.35)

    assert memory.event_day == "2027-01-01"
    assert memory.expires_at == datetime(2027, 1, 3, tzinfo=UTC)
    change_policy(space=space, changes={"ttl": {"low_days": 0.2}}, actor=ALICE, now=said)
    assert stored(memory).expires_at == datetime(2027, 1, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("created_at", "content", "day"),
    [
        ("2026-07-31T22:06:00-03:00", "I have an exam tomorrow", "2026-08-01"),
        ("2026-09-15T07:30:00+08:00", "我明天有考试", "2026-09-16"),
        # A year earlier than in the report, which lies in the future.
        ("2025-12-31T20:00:00-05:00", "I broke my arm today", "2025-12-31"),
    ],
)
def test_the_reported_days_through_the_api(
    api: Callable[[str | None], ApiClient], key: MakeKey, created_at: str, content: str, day: str
) -> None:
    body = {"content": content, "created_at": created_at}

    one = api(key()).post("memories", body).json()
    [of_many] = api(key()).post("memories/batch", {"items": [body]}).json()["items"]

    assert one["event_at"] == of_many["event_at"] == f"{day}T00:00:00Z"
    assert datetime.fromisoformat(one["created_at"]) == datetime.fromisoformat(created_at)


def test_the_report_of_the_last_day_of_the_year(space: Space) -> None:
    said = datetime.fromisoformat("2026-12-31T20:00:00-05:00")

    memory = remember(space, "I broke my arm today", now=said)

    assert memory.event_day == "2026-12-31"


def _zone(body: dict[str, Any], headers: dict[str, str], space_zone: str) -> dict[str, Any]:
    return {"body": body, "headers": headers, "space_zone": space_zone}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        # 23:30 UTC is half past seven of the next morning in Shanghai, and the day before in São
        # Paulo.
        (_zone({}, {}, ""), "2026-09-15"),
        (_zone({}, {}, "Asia/Shanghai"), "2026-09-16"),
        (_zone({}, {"X-Ebb-Timezone": "Asia/Shanghai"}, "America/Sao_Paulo"), "2026-09-16"),
        (
            _zone({"timezone": "Asia/Shanghai"}, {"X-Ebb-Timezone": "Asia/Kolkata"}, ""),
            "2026-09-16",
        ),
        (
            _zone({"timezone": "America/Sao_Paulo"}, {"X-Ebb-Timezone": "Asia/Shanghai"}, ""),
            "2026-09-15",
        ),
    ],
)
def test_the_order_of_the_zones(
    api: Callable[[str | None], ApiClient],
    key: MakeKey,
    space: Space,
    where: dict[str, Any],
    expected: str,
) -> None:
    Space.objects.filter(pk=space.pk).update(time_zone=where["space_zone"])
    said = {"content": "I have an exam tomorrow", "created_at": "2026-09-14T23:30:00Z"}

    made = api(key()).post("memories", said | where["body"], headers=where["headers"])

    assert made.json()["event_at"] == f"{expected}T00:00:00Z"


def test_each_item_of_a_batch_has_its_own_zone(
    api: Callable[[str | None], ApiClient], key: MakeKey
) -> None:
    said = {"content": "I have an exam tomorrow", "created_at": "2026-09-14T23:30:00"}
    items = [said, said | {"timezone": "Asia/Shanghai"}]

    made = api(key()).post("memories/batch", {"items": items}).json()["items"]

    assert [one["event_at"][:10] for one in made] == ["2026-09-15", "2026-09-15"]
    assert [one["created_at"] for one in made] == ["2026-09-14T23:30:00Z", "2026-09-14T15:30:00Z"]


def test_a_batch_has_a_zone_for_the_items_without_one(
    api: Callable[[str | None], ApiClient], key: MakeKey
) -> None:
    said = {"content": "I have an exam tomorrow", "created_at": "2026-09-14T23:30:00Z"}
    items = [said, said | {"timezone": "America/New_York"}]
    body = {"items": items, "timezone": "Asia/Shanghai"}

    made = api(key()).post("memories/batch", body).json()["items"]

    assert [one["event_at"][:10] for one in made] == ["2026-09-16", "2026-09-15"]


def test_a_changed_text_is_read_in_the_zone_of_its_speaker(
    api: Callable[[str | None], ApiClient], key: MakeKey
) -> None:
    body = {"content": "I have an exam tomorrow", "created_at": "2026-09-15T07:30:00+08:00"}
    caller = api(key())
    made = caller.post("memories", body).json()

    changed = caller.patch(f"memories/{made['id']}", {"content": "I had an exam yesterday"})

    assert changed.json()["event_at"] == "2026-09-14T00:00:00Z"


@pytest.mark.parametrize("name", ["Mars/Olympus", "", 5])
def test_an_unknown_zone_is_refused(
    api: Callable[[str | None], ApiClient], key: MakeKey, name: object
) -> None:
    refused = api(key()).post("memories", {"content": "User likes tea", "timezone": name})

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "timezone"


def test_an_unknown_zone_in_the_header_is_refused(
    api: Callable[[str | None], ApiClient], key: MakeKey
) -> None:
    refused = api(key()).call("GET", "memories", headers={"X-Ebb-Timezone": "Mars/Olympus"})

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "X-Ebb-Timezone"


@pytest.mark.parametrize(
    "created_at",
    ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2130-01-01T00:00:00Z", -5, 4_102_444_800],
)
def test_an_implausible_time_is_refused(
    api: Callable[[str | None], ApiClient], key: MakeKey, created_at: object
) -> None:
    body = {"content": "User likes tea", "created_at": created_at}
    caller = api(key())

    one, many = caller.post("memories", body), caller.post("memories/batch", {"items": [body]})

    assert one.status_code == many.status_code == 422
    assert one.json()["errors"][0]["field"] == "created_at"
    assert many.json()["errors"][0]["field"] == "items.0.created_at"
    assert not Memory.objects.exists()


@pytest.mark.parametrize(
    "created_at",
    ["2026-07-09 10:39:17.281+00", "2026-07-09T10:39:17.281Z", 1783593557.281, "1783593557.281",
     "2026-07-09 18:39:17.281", "2026-07-09T06:39:17.281-04:00"],
)  # fmt: skip
def test_a_time_is_read_in_each_form(
    api: Callable[[str | None], ApiClient], key: MakeKey, created_at: object
) -> None:
    body = {"content": "User likes tea", "created_at": created_at, "timezone": "Asia/Shanghai"}

    made = api(key()).post("memories", body)

    assert made.json()["created_at"] == "2026-07-09T10:39:17.281Z"


def test_a_question_has_the_days_of_its_asker(
    api: Callable[[str | None], ApiClient], key: MakeKey, space: Space
) -> None:
    remember(space, "User moved to Lisbon", now=NOW, created_at="2026-03-01T07:30:00+08:00")
    caller = api(key())

    def found(as_of: str, **zone: str) -> int:
        body = {"query": "Where does the user live?", "as_of": as_of, **zone}
        return len(caller.post("memories/search", body).json()["results"])

    # 23:30 UTC of the last of February is in both days, by the clock of the asker.
    assert found("2026-02-28") == 1
    assert found("2026-02-28", timezone="Asia/Shanghai") == 0
    assert found("2026-03-01", timezone="Asia/Shanghai") == 1
