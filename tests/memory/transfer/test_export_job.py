"""A large export is written by a job, announced, downloaded, and deleted in time."""

from datetime import timedelta

import pytest
from django.core import mail
from django.http import StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space, User
from assessor.outbox.notices import mail_owners
from foundation.errors import Conflict
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import Job, JobPart, JobState
from memory.retention.recycle_bin import delete_memory, purge_memory
from memory.transfer import export_job, views
from memory.transfer.export_job import KEPT, forget_old, ready_export, start_export
from memory.users.erasure import start_erasure
from tests.memory.transfer.spaces import exported
from tests.memory.writing import ALICE, remember
from tests.pages import login, shown
from tests.processes import queue

__all__ = ["queue"]

pytestmark = pytest.mark.django_db


def worked(job: Job) -> Job:
    mine = jobs.claim_job(space_id=job.space_id, job_id=job.pk, now=timezone.now())
    assert mine is not None
    work_at(mine)
    return Job.objects.get(pk=job.pk)


def written(space: Space) -> Job:
    """An export that a worker has written."""
    return worked(start_export(space=space, actor=ALICE, now=timezone.now()))


@pytest.fixture
def large(space: Space, monkeypatch: pytest.MonkeyPatch) -> Space:
    """A space whose page leaves its export to a job."""
    remember(space, "User likes pizza")
    monkeypatch.setattr(views, "LARGE", 1)
    return space


def test_the_file_is_that_of_the_export(space: Space, other_space: Space) -> None:
    remember(other_space, "elsewhere")
    for number in range(3):
        remember(space, f"User has {number} cats")

    job = written(space)

    lines = exported(space).splitlines()
    stored = b"".join(bytes(part.data) for part in JobPart.objects.order_by("number"))
    assert stored.splitlines()[1:] == lines[1:]  # the first has the time of the export
    assert (job.state, job.done, job.total) == (JobState.DONE, len(lines), len(lines))
    assert job.result == {"bytes": len(stored)}
    assert ready_export(space) == job
    assert ready_export(other_space) is None


@pytest.mark.usefixtures("queue")
@pytest.mark.django_db(transaction=True)
def test_a_slow_one_keeps_its_lease_and_can_be_cancelled(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_job, "RENEWED", 0.0)  # at each line
    remember(space, "User likes pizza")
    job = start_export(space=space, actor=ALICE, now=timezone.now())
    with pytest.raises(Conflict):
        start_export(space=space, actor=ALICE, now=timezone.now())
    mine = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=timezone.now())
    assert mine is not None
    jobs.cancel(space=space, job_id=job.pk, now=timezone.now())
    work_at(mine)
    assert Job.objects.get(pk=job.pk).state == JobState.CANCELLED
    assert not JobPart.objects.exists()

    assert written(space).state == JobState.DONE


@pytest.mark.usefixtures("queue")
@pytest.mark.django_db(transaction=True)
def test_the_page_tells_when_it_is_ready(large: Space, alice: User, bob: User) -> None:
    client = login(alice)
    assert "Prepare the file" in shown(client, large, "transfer")
    client.post(reverse("transfer_prepare", args=["home"]))
    assert "Waiting for a worker." in shown(client, large, "transfer")
    assert "Export ready" not in shown(client, large, "attention")

    worked(Job.objects.get())
    assert "Export ready:" in shown(client, large, "transfer")
    assert "Export ready" in shown(client, large, "attention")
    assert "export ready</span>" in shown(client, large, "overview")
    viewer = login(bob)
    assert "export ready</span>" not in shown(viewer, large, "overview")
    assert "Export ready" not in shown(viewer, large, "attention")
    address = reverse("transfer_exported", args=["home"])
    assert viewer.get(address).status_code == 403

    answer = client.get(address)
    assert isinstance(answer, StreamingHttpResponse)
    assert answer["Content-Disposition"].startswith('attachment; filename="home-')
    assert int(answer["Content-Length"]) == Job.objects.get().result["bytes"]
    answer.close()
    assert "Export ready" not in shown(client, large, "attention")
    assert address in shown(client, large, "transfer")  # it may be downloaded again


def test_owners_are_mailed(space: Space, alice: User, settings: Settings) -> None:
    settings.EMAIL_HOST = "mail.example"
    written(space)

    mail_owners(now=timezone.now())

    [sent] = mail.outbox
    assert sent.body.splitlines()[0] == "Export ready"


def test_it_is_deleted_after_a_day_and_with_what_it_quotes(large: Space, alice: User) -> None:
    job = written(large)
    ended = job.ended_at
    assert ended is not None
    forget_old(now=ended + KEPT - timedelta(minutes=1))
    assert ready_export(large) is not None
    forget_old(now=ended + KEPT + timedelta(minutes=1))
    assert ready_export(large) is None
    address = reverse("transfer_exported", args=["home"])
    assert "no longer stored" in login(alice).get(address, follow=True).content.decode()

    memory, now = remember(large, "User hides a key"), timezone.now()
    written(large)
    delete_memory(space=large, memory_id=memory.pk, actor=ALICE, now=now)
    assert ready_export(large) is not None
    purge_memory(space=large, memory_id=memory.pk, actor=ALICE, now=now)
    assert ready_export(large) is None

    remember(large, "User is 30", user_id="carol")
    written(large)
    worked(start_erasure(space=large, user_id="carol", actor=ALICE, now=now))
    assert ready_export(large) is None
