"""Leases and due times follow the database's clock, whatever the clock of a worker's host says."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox.services import queue_assessment
from assessor.tasks import assess, requeue_due_assessments
from foundation.database.leases import database_now
from memory.jobs import services as jobs
from memory.jobs.kinds import WORK
from memory.models import Job, JobState
from memory.tasks import work
from tests.memory.writing import ALICE

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture(params=[-HOUR, HOUR], ids=["behind", "ahead"])
def wrong_clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of this host is an hour behind or ahead."""
    true = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: true() + request.param)


def test_an_exchange_is_assessed_when_it_is_due(space: Space, wrong_clock: None) -> None:
    row = queue_assessment(space=space, exchange=Exchange("I like pizza"), now=database_now())
    later = queue_assessment(
        space=space, exchange=Exchange("I like pasta"), now=database_now(),
        due_at=database_now() + HOUR / 2,
    )  # fmt: skip

    assess(space.pk, str(row.pk))
    assess(space.pk, str(later.pk))

    states = dict(Assessment.objects.values_list("pk", "state"))
    assert states[row.pk] in {State.DONE, State.IGNORED}
    assert states[later.pk] == State.QUEUED


def test_a_living_workers_exchange_is_not_taken_away(space: Space, wrong_clock: None) -> None:
    row = queue_assessment(space=space, exchange=Exchange("I like pizza"), now=database_now())
    Assessment.objects.filter(pk=row.pk).update(
        state=State.RUNNING, leased_until=database_now() + timedelta(seconds=20),
        enqueued_at=database_now() - HOUR / 2,
    )  # fmt: skip

    requeue_due_assessments()

    row.refresh_from_db()
    assert row.enqueued_at < database_now() - HOUR / 3


def test_a_job_is_leased_for_a_minute(
    space: Space, wrong_clock: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    leases: list[timedelta] = []

    def count(job: Job) -> Mapping[str, Any]:
        leased_until = Job.objects.get(pk=job.pk).leased_until
        assert leased_until is not None
        leases.append(leased_until - database_now())
        return {}

    monkeypatch.setitem(WORK, "count", count)
    job = jobs.start_job(
        space=space, kind="count", parameters={}, actor=ALICE, now=database_now(), total=1
    )
    work(space.pk, str(job.pk))

    [lease] = leases
    assert timedelta() < lease <= jobs.LEASE
    assert Job.objects.get(pk=job.pk).state == JobState.DONE
