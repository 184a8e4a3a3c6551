"""The sweep of a large space: in batches that say what one sweep says, cancelled, resumed, and
begun by beat where there is much to let go."""

from datetime import timedelta
from random import Random

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import Job, JobState
from memory.policies.services import change_policy
from memory.retention import sweep_job
from memory.retention.sweep import sweep
from memory.tasks import sweep_all_spaces
from tests.memory.jobs.working import claimed
from tests.memory.sweeping import live, random_memories, removals, statuses
from tests.memory.writing import ALICE, NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def crowded(space: Space, monkeypatch: pytest.MonkeyPatch) -> Space:
    """More memories than may stay, some of which have expired or lain in the bin for long."""
    monkeypatch.setattr(sweep_job, "BATCH", 3)
    random_memories(space, Random(7), 60)
    changes = {"capacity": 6, "grace_hours": 0}
    change_policy(space=space, changes=changes, actor=ALICE, now=NOW)
    return space


def test_batches_let_go_what_one_sweep_does_in_the_same_order(crowded: Space) -> None:
    with transaction.atomic():
        swept = sweep(space=crowded, now=timezone.now())
        expected, left = removals(crowded), statuses(crowded)
        transaction.set_rollback(True)
    assert swept.evicted > 2 * sweep_job.BATCH
    assert swept.expired > sweep_job.BATCH

    job = claimed(sweep_job.start_sweep(space=crowded, actor=ALICE, now=timezone.now()))
    work_at(job)

    job.refresh_from_db()
    assert (job.state, job.done, job.total) == (JobState.DONE, job.total, sum(vars(swept).values()))
    assert job.result == vars(swept)
    assert sorted(removals(crowded), key=str) == sorted(expected, key=str)
    assert statuses(crowded) == left


def test_a_cancelled_sweep_keeps_what_is_done_and_beat_leaves_the_space_alone(
    crowded: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_job, "AT_ONCE", 20)
    sweep_all_spaces()
    job = sweep_job.latest_sweep(crowded)
    assert job is not None
    assert (job.state, job.actor_type) == (JobState.QUEUED, "system")
    mine = jobs.claim_job(space_id=crowded.pk, job_id=job.pk, now=timezone.now())
    assert mine is not None
    jobs.cancel(space=crowded, job_id=job.pk, now=timezone.now())
    before = live(crowded)

    work_at(mine)
    sweep_all_spaces()

    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
    assert live(crowded) == before
    assert Job.objects.in_space(crowded).count() == 1
    an_hour_ago = timezone.now() - sweep_job.PAUSE - timedelta(seconds=1)
    Job.objects.filter(pk=job.pk).update(ended_at=an_hour_ago)
    sweep_all_spaces()
    assert sweep_job.latest_sweep(crowded) != job


def test_an_owner_begins_cancels_and_resumes_it_on_the_page(
    crowded: Space, alice: User, bob: User
) -> None:
    owner, viewer = Client(), Client()
    owner.force_login(alice)
    viewer.force_login(bob)
    begin = reverse("lifetimes_sweep", args=["home"])
    assert viewer.post(begin).status_code == 403
    assert owner.post(begin, headers={"HX-Request": "true"}).status_code == 200
    job = sweep_job.latest_sweep(crowded)
    assert job is not None
    page = viewer.get(reverse("lifetimes_capacity", args=["home"])).content.decode()
    assert "Waiting for a worker." in page
    assert "Cancel" not in page
    assert viewer.post(reverse("job_cancel", args=["home", job.pk])).status_code == 403

    watched = reverse("job", args=["home", job.pk])
    assert "HX-Refresh" not in viewer.get(watched, headers={"HX-Request": "true"}).headers
    answer = owner.post(reverse("job_cancel", args=["home", job.pk])).content.decode()
    assert "Resume" in answer
    # What stands around it is drawn anew once it has ended.
    ended = viewer.get(watched, headers={"HX-Request": "true"})
    assert ended.headers["HX-Refresh"] == "true"
    owner.post(reverse("job_resume", args=["home", job.pk]))
    job.refresh_from_db()
    assert job.state == JobState.QUEUED
    assert owner.get(reverse("job", args=["home", crowded.memories.first().pk])).status_code == 404  # type: ignore[union-attr]  # there are some
