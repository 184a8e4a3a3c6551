"""Deleting a space: closed at once, brought back whole within its grace, then gone in batches."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.members.services import add_member
from accounts.models import Role, Space, User
from assessor.models import Assessment
from foundation.actors import SYSTEM
from foundation.errors import Conflict
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import Job, JobState
from memory.spaces import deletion
from memory.spaces.services import models_of_spaces
from memory.tasks import requeue_due_jobs, sweep_all_spaces
from tests.conftest import ApiClient, MakeKey
from tests.lived_in import lived_in
from tests.memory.claiming import claimed
from tests.memory.writing import ALICE, NOW, remember

pytestmark = pytest.mark.django_db


@pytest.fixture
def full(embedder: object, alice: User, monkeypatch: pytest.MonkeyPatch) -> Space:
    """A space with rows in every table, to be deleted in many batches."""
    monkeypatch.setattr(deletion, "BATCH", 7)
    space = lived_in("full", 6, timezone.now())
    assert isinstance(space, Space)
    add_member(space=space, user=alice, role=Role.OWNER, actor=SYSTEM, now=NOW)
    # A span: its exchanges refer to the first of them.
    first, *others = Assessment.objects.filter(space=space)
    Assessment.objects.filter(pk__in=[one.pk for one in others[:3]]).update(part_of=first)
    return space


def begun(closed: Space) -> Job:
    """The deletion of a closed space, whose grace is over."""
    assert closed.closed_at is not None
    deletion.start_due(now=closed.closed_at + deletion.GRACE)
    job = deletion.deletion(closed)
    assert job is not None
    return job


def rows(space: Space) -> int:
    counts = [model._base_manager.filter(space_id=space.pk).count() for model in models_of_spaces()]
    return sum(counts)


def test_a_closed_space_exists_for_nobody_and_comes_back_whole(
    space: Space,
    other_space: Space,
    alice: User,
    key: MakeKey,
    api: Callable[[str | None], ApiClient],
) -> None:
    add_member(space=other_space, user=alice, role=Role.VIEWER, actor=SYSTEM, now=NOW)
    remember(space, "User sings")
    work = jobs.start_job(space=space, kind="reassess", parameters={}, actor=ALICE, now=NOW)
    program = api(key())
    assert program.get("memories").status_code == 200
    browser = Client()
    browser.force_login(alice)
    here, there = (reverse("spaces", args=[one.slug]) for one in (space, other_space))

    closed = browser.post(reverse("spaces_delete", args=["home"]), {"confirm": "home"})
    assert closed.headers["Location"] == there
    assert program.get("memories").status_code == 401
    assert browser.get(here).status_code == 404
    assert browser.get("/api/v1/memories", headers={"X-Ebb-Space": "home"}).status_code == 404
    assert browser.get("/").headers["Location"] == reverse("playground", args=["other"])
    page = browser.get(there).text
    assert "Until then you can restore it." in page
    assert here not in page
    work.refresh_from_db()
    assert work.state == JobState.CANCELLED
    with pytest.raises(Conflict, match="already"):
        deletion.close_space(space=space, actor=ALICE, now=NOW)
    deletion.start_due(now=timezone.now() + deletion.GRACE - timedelta(seconds=30))
    sweep_all_spaces()
    assert Job.objects.count() == 1

    browser.post(reverse("spaces_bring_back", args=["other"]), {"space": "home"})
    assert program.get("memories").json()["items"][0]["content"] == "User sings"
    assert browser.get(here).status_code == 200
    with pytest.raises(Conflict, match="not being deleted"):
        deletion.reopen_space(space=space, actor=ALICE, now=NOW)


def test_only_who_owned_it_sees_it_and_brings_it_back(
    space: Space, other_space: Space, bob: User, charlie: User
) -> None:
    deletion.close_space(space=space, actor=ALICE, now=timezone.now())
    add_member(space=other_space, user=bob, role=Role.OWNER, actor=SYSTEM, now=NOW)
    for user in (bob, charlie):
        browser = Client()
        browser.force_login(user)
        assert "brought back" not in browser.get(reverse("spaces_leaving", args=["other"])).text
        answer = browser.post(reverse("spaces_bring_back", args=["other"]), {"space": "home"})
        assert answer.status_code == 404
    space.refresh_from_db()
    assert space.closed_at is not None


def test_batches_leave_nothing_and_no_other_space_loses_a_row(full: Space, space: Space) -> None:
    remember(space, "User sings")
    before, total = rows(space), rows(full)
    deletion.close_space(space=full, actor=ALICE, now=timezone.now() - deletion.GRACE)
    requeue_due_jobs()
    queued = deletion.deletion(Space.objects.get(pk=full.pk))
    assert queued is not None

    job = jobs.claim_job(space_id=full.pk, job_id=queued.pk, now=timezone.now())
    assert job is not None
    work_at(job)

    connection.check_constraints()
    assert (rows(full), rows(space)) == (0, before)
    assert list(Space.objects.values_list("slug", flat=True)) == ["home"]
    # The job and who may watch it go with the space; all else is counted.
    assert job.done == job.total
    assert total - 20 < job.done <= total + 1


def test_a_worker_that_dies_is_followed_by_one_that_goes_on(
    full: Space, alice: User, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = deletion.close_space(space=full, actor=ALICE, now=timezone.now())
    job = claimed(begun(closed))
    steps = iter(range(3))
    advance = jobs.advance

    def dies(**asked: object) -> None:
        if next(steps, None) is None:
            raise SystemExit
        advance(**asked)  # type: ignore[arg-type]  # as it was called

    with monkeypatch.context() as patch:
        patch.setattr(jobs, "advance", dies)
        with pytest.raises(SystemExit):
            work_at(job)
    left = Job.objects.get(pk=job.pk)
    assert 0 < left.done < rows(full)
    with pytest.raises(Conflict, match="already deleted"):
        deletion.reopen_space(space=full, actor=ALICE, now=timezone.now())
    browser = Client()
    browser.force_login(alice)
    page = browser.get(reverse("spaces", args=["home"])).text
    assert "no longer be stopped" in page
    assert f'value="{left.done}"' in page

    Job.objects.filter(pk=job.pk).update(leased_until=NOW)
    second = jobs.claim_job(space_id=full.pk, job_id=job.pk, now=timezone.now())
    assert second is not None
    work_at(second)
    assert not Space.objects.filter(pk=full.pk).exists()
    assert second.done == second.total


def test_who_brings_it_back_is_before_or_after_the_first_batch(full: Space) -> None:
    closed = deletion.close_space(space=full, actor=ALICE, now=timezone.now())
    job = claimed(begun(closed))
    before = rows(full)
    deletion.reopen_space(space=full, actor=ALICE, now=timezone.now())

    work_at(job)

    job.refresh_from_db()
    assert (job.state, job.done) == (JobState.CANCELLED, 0)
    assert rows(full) == before + 1  # the line in the audit
    # Closed anew, it gets a deletion of its own.
    later = timezone.now() + 2 * deletion.GRACE
    closed = deletion.close_space(space=full, actor=ALICE, now=later)
    assert begun(closed).pk != job.pk


def test_one_that_failed_is_tried_again(full: Space) -> None:
    closed = deletion.close_space(space=full, actor=ALICE, now=timezone.now())
    job = claimed(begun(closed))
    jobs.fail(job=job, error="The disk is full.", now=timezone.now())

    assert begun(closed).pk == job.pk
    work_at(claimed(job))

    assert not Space.objects.filter(pk=full.pk).exists()
