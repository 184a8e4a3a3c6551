"""The zone of the speaker reaches the worker, and the memory that it writes."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from accounts.models import Space
from assessor.assessing import AssessmentResult, Exchange
from assessor.models import Assessment
from assessor.outbox import services
from assessor.tasks import assess
from foundation.moments import in_zone, zone_called
from memory.models import Memory
from tests.assessor.outbox import EXCHANGE, NOW, assessment_result, queued
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import remember, stored

pytestmark = pytest.mark.django_db
MORNING = "2026-09-15T07:30:00+08:00"  # 14 September in UTC
EXAM = "我明天有考试，在上海的大学里"


def _body(text: str = EXAM, **more: str) -> dict[str, object]:
    return {"user_message": text, "provider": "local", **more}


def test_a_queued_exchange_keeps_its_zone_for_the_worker(
    api: Callable[[str | None], ApiClient], key: MakeKey, space: Space
) -> None:
    made = api(key()).post("assessments", _body(created_at=MORNING))
    assert made.status_code == 202
    exchange = Assessment.objects.get()
    assert (exchange.time_zone, exchange.said_at.isoformat()) == ("UTC+08:00", MORNING)

    assess(space.pk, str(exchange.pk))

    memory = Memory.objects.get()
    assert (memory.event_day, memory.time_zone) == ("2026-09-16", "UTC+08:00")
    assert memory.content.startswith("我明天（2026年9月16日）有考试")


def test_a_zone_in_the_call_is_that_of_now(
    api: Callable[[str | None], ApiClient], key: MakeKey, space: Space
) -> None:
    """It is never the same day 14 hours ahead of UTC and 12 hours behind it."""
    for zone in ("Pacific/Kiritimati", "Etc/GMT+12"):
        here = in_zone(timezone.now(), zone_called(zone))
        answer = api(key()).post("assess", _body(timezone=zone) | {"store": True})
        tomorrow = here.date() + timedelta(days=1)
        assert answer.json()["memory"]["event_at"] == f"{tomorrow}T00:00:00Z"
        Memory.objects.all().delete()


@pytest.mark.parametrize("path", ["assess", "assessments"])
def test_an_implausible_time_is_refused(
    api: Callable[[str | None], ApiClient], key: MakeKey, path: str
) -> None:
    refused = api(key()).post(path, _body(created_at="2130-01-01T00:00:00Z"))

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "created_at"
    assert not Assessment.objects.exists()


def test_a_second_assessment_has_the_same_day(space: Space) -> None:
    said = datetime.fromisoformat(MORNING)
    first = queued(space, EXCHANGE, said_at=said)
    result = assessment_result(summary="User has an exam tomorrow")
    _assess(space, first, result)
    memory = Memory.objects.get()
    assert memory.event_day == "2026-09-16"
    assert memory.content == "User has an exam tomorrow (16 September 2026)"

    Assessment.objects.filter(pk=first.pk).update(state="queued", leased_until=None)
    _assess(space, first, result)

    assert Memory.objects.get(pk=memory.pk).event_day == "2026-09-16"


def test_a_patch_is_dated_by_the_speakers_day(space: Space) -> None:
    """Half past seven in Shanghai is still yesterday in UTC."""
    now = NOW.replace(hour=23, minute=30)
    meat = remember(space, "I eat meat every day", now=NOW, pinned=True)
    row = queued(
        space, Exchange("I no longer eat meat"), said_at=in_zone(now, zone_called("Asia/Shanghai"))
    )

    _assess(space, row, assessment_result(summary="I no longer eat meat"), now)

    patch = f"[{NOW + timedelta(days=1):%Y-%m-%d}: I no longer eat meat]"
    assert stored(meat).content == f"I eat meat every day {patch}"


def _assess(
    space: Space, row: Assessment, result: AssessmentResult, now: datetime | None = None
) -> None:
    taken = services.claim(space_id=space.pk, assessment_id=row.pk, now=now or timezone.now())
    assert taken is not None
    services.finish(assessment=taken, result=result, now=now or timezone.now())
