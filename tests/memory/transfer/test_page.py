"""The page "Export and import"."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from accounts.models import Space, User
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import Job, JobState, Memory
from tests.memory.transfer.spaces import exported
from tests.memory.writing import NOW, remember, set_policy

HTMX = {"HX-Request": "true"}


@pytest.fixture
def page(alice: User, space: Space) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def upload(page: Client, content: bytes) -> Job:
    file = SimpleUploadedFile("memories.jsonl", content)
    answer = page.post("/s/home/transfer/import/", {"file": file, "on_error": "skip"})
    assert answer.status_code == 302
    return Job.objects.latest("created_at")


def test_an_import_is_watched_cancelled_taken_up_and_reported(page: Client, space: Space) -> None:
    job = upload(page, b'{"content": "User likes pizza"}\n{"content": "<b>"}\nnonsense\n')
    waiting = page.get("/s/home/transfer/", headers=HTMX).content.decode()
    assert "<progress" in waiting
    assert 'hx-trigger="every 1s"' in waiting

    cancel = reverse("transfer_cancel", args=["home", job.pk])
    assert "Resume" in page.post(cancel, headers=HTMX).content.decode()
    page.post(reverse("transfer_resume", args=["home", job.pk]))
    taken = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=NOW)
    assert taken is not None
    work_at(taken)

    done = page.get("/s/home/transfer/").content.decode()
    assert "<progress" not in done
    assert "line 3" in done
    assert "not a JSON object" in done
    assert Memory.objects.in_space(space).count() == 2


RECORDS = b"""{"content": "User had soup", "memory_type": "event", "importance": 0.1}
{"content": "User likes rice", "memory_type": "fact", "importance": 0.4}
{"content": "User plans a trip", "memory_type": "goal", "importance": 0.6}
{"content": "User is called Jaz", "memory_type": "identity", "importance": 0.9}
nonsense
"""


def work(space: Space, job: Job) -> None:
    taken = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=NOW)
    assert taken is not None
    work_at(taken)


def checked(page: Client, space: Space, content: bytes) -> Job:
    file = SimpleUploadedFile("memories.jsonl", content)
    page.post("/s/home/transfer/import/", {"file": file, "preview": "1"})
    job = Job.objects.latest("created_at")
    work(space, job)
    return job


@pytest.mark.parametrize("button", [{}, {"keep_forever": "1"}])
def test_an_import_says_what_would_expire_before_it_writes(
    page: Client, space: Space, button: dict[str, str]
) -> None:
    """Seed 001, `calculate_ttl`: "None  # Permanent", "1 month", "1 week", "3 days"; seed 003,
    section 5: "超额淘汰（>800 时"."""
    set_policy(space, capacity=2)
    before = timezone.now()
    job = checked(page, space, RECORDS)

    assert not Memory.objects.in_space(space).exists()
    shown = " ".join(page.get("/s/home/transfer/").content.decode().split())
    assert "<b>4</b> new active memories" in shown
    assert "<b>1</b> kept forever" in shown
    for days in (3, 7, 30):
        date = date_format(timezone.localtime(before + timedelta(days=days)), "DATE_FORMAT")
        assert f"<b>1</b> expire by {date}" in shown
    assert "<b>2</b> over the capacity of 2" in shown
    assert "Invalid lines:" in shown
    assert "line 5" in shown

    answer = page.post(reverse("transfer_confirm", args=["home", job.pk]), button, headers=HTMX)
    assert "<progress" in answer.content.decode()
    work(space, Job.objects.latest("created_at"))
    memories = Memory.objects.in_space(space)
    assert memories.count() == 4
    assert memories.filter(pinned=bool(button)).count() == 4
    again = page.post(reverse("transfer_confirm", args=["home", job.pk]), follow=True)
    assert "Choose it again." in again.content.decode()
    assert memories.count() == 4


def test_a_second_import_or_none_at_all_is_said(page: Client, space: Space) -> None:
    page.post("/s/home/transfer/import/", {})
    assert "Choose a file" in page.get("/s/home/transfer/").content.decode()
    first = upload(page, b"{}")
    assert upload(page, b"{}") == first
    assert "already running" in page.get("/s/home/transfer/").content.decode()


def test_only_an_owner_takes_a_space_along(bob: User, charlie: User, page: Client) -> None:
    looking, stranger = Client(), Client()
    looking.force_login(bob)
    stranger.force_login(charlie)

    assert "Only owners" in looking.get("/s/home/transfer/").content.decode()
    assert looking.get("/s/home/transfer/export/").status_code == 403
    assert looking.post("/s/home/transfer/import/").status_code == 403
    assert stranger.get("/s/home/transfer/export/").status_code == 404
    assert page.get("/s/home/transfer/export/")["Content-Type"] == "application/x-ndjson"


def test_a_failed_import_says_why(page: Client, space: Space) -> None:
    remember(space, "User likes pizza")
    job = upload(page, b'{"format": "ebb-export", "version": 7}')
    taken = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=NOW)
    assert taken is not None
    work_at(taken)

    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert "version 7" in page.get("/s/home/transfer/").content.decode()


def test_the_page_says_how_many_lines_the_file_has(page: Client, space: Space) -> None:
    remember(space, "User had soup")

    shown = page.get("/s/home/transfer/").content.decode()

    assert f"{len(exported(space).splitlines())} lines of JSON" in shown


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (b'{"x": 1}\n', "Ebb found no memory in this file"),
        (None, "this space already has everything in this file"),
    ],
)
def test_a_file_with_nothing_new_is_not_offered(
    page: Client, space: Space, lines: bytes | None, said: str
) -> None:
    remember(space, "User likes pizza")
    checked(page, space, lines or exported(space))

    text = page.get(reverse("transfer", args=[space.slug])).text
    assert said in text
    assert "keep_forever" not in text
    assert ("line 1" in text) is bool(lines)
