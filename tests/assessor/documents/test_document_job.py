"""A document becomes memories that wait for review, and are never the person's own words."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from assessor.documents.document_job import start_document
from assessor.models import Assessment
from foundation.errors import Conflict
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import Job, JobPart, JobState, Memory
from memory.recall.prompt_forms import relevant_memories
from memory.recall.recall import SearchRequest, recall
from memory.review.services import approve_memory
from tests.assessor.documents.files import pdf
from tests.memory.writing import ALICE, remember, stored
from tests.pages import login

LETTER = b"""# A letter

I moved to Lisbon in March and I am allergic to penicillin.

Hello!

My sister Clara teaches in Coimbra.
"""


def claimed(
    space: Space, data: bytes = LETTER, name: str = "letter.md", user_id: str | None = None
) -> Job:
    """The job of a document, leased as by a worker."""
    now = timezone.now()
    job = start_document(
        space=space, name=name, chunks=[data], user_id=user_id, actor=ALICE, now=now
    )
    mine = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=now)
    assert mine is not None
    return mine


def read(space: Space, *document: Any, **options: Any) -> Job:
    """The job of a document, worked to its end."""
    job = claimed(space, *document, **options)
    work_at(job)
    job.refresh_from_db()
    return job


def test_passages_wait_for_review_with_their_source(space: Space) -> None:
    job = read(space)

    assert (job.state, job.done, job.total) == (JobState.DONE, 3, 3)
    assert job.result == {"review": 2, "ignored": 1, "known": 0}
    memories = list(Memory.objects.in_space(space).order_by("created_at"))
    assert [memory.status for memory in memories] == ["review", "review"]
    assert {memory.source_role for memory in memories} == {"document"}
    assert {memory.review_reason for memory in memories} == {"From a document: “letter.md”"}
    assert memories[0].metadata == {"document": "letter.md", "page": 1}
    assert "penicillin" in memories[0].content
    assert Assessment.objects.in_space(space).filter(source_role="document").count() == 3
    assert not JobPart.objects.exists()


def test_a_prompt_says_that_it_is_from_a_document(space: Space) -> None:
    read(space, name="My <letter>.md")
    now = timezone.now()
    waiting = Memory.objects.in_space(space).in_review().get(content__contains="penicillin")
    approve_memory(space=space, memory_id=waiting.pk, actor=ALICE, now=now)

    found = recall(space, SearchRequest("where did I move to?", min_relevance=None), now=now)

    assert relevant_memories(found.results).endswith("from the document My ‹letter>.md)")


def test_a_document_changes_nothing_that_a_person_said(space: Space) -> None:
    name = remember(space, "The user's name is Mara; she is a marine biologist.")
    read(space, b"My name is Ana Sousa and I was born in Evora in 1986.")
    name_and_birth = list(Memory.objects.in_space(space).in_review())
    assert len(name_and_birth) == 1

    for waiting in name_and_birth:
        approve_memory(space=space, memory_id=waiting.pk, actor=ALICE, now=timezone.now())

    assert {stored(one).status for one in (name, *name_and_birth)} == {"live"}
    assert stored(name).content == name.content


def test_the_same_document_adds_nothing_and_a_users_is_their_own(space: Space) -> None:
    remember(space, "User has a cat")
    read(space, user_id="carol")
    assert read(space, user_id="carol").result == {"review": 0, "ignored": 0, "known": 3}
    assert Memory.objects.in_space(space).filter(user_id="carol").count() == 2
    assert read(space).result["review"] == 2
    assert Memory.objects.in_space(space).in_review().filter(user_id=None).count() == 2


def test_a_stopped_job_goes_on_where_it_was(space: Space) -> None:
    job = claimed(space)
    jobs.cancel(space=space, job_id=job.pk, now=timezone.now())
    work_at(job)
    job.refresh_from_db()
    assert (job.state, job.done) == (JobState.CANCELLED, 0)
    assert not Assessment.objects.exists()  # a step is stored whole, or not at all

    jobs.resume(space=space, job_id=job.pk, now=timezone.now())
    again = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=timezone.now())
    assert again is not None
    counts = {"review": 1, "ignored": 0, "known": 0}
    jobs.advance(job=again, done=1, result=counts, now=timezone.now())
    work_at(again)

    again.refresh_from_db()
    assert (again.state, again.done) == (JobState.DONE, 3)
    assert again.result == {"review": 2, "ignored": 1, "known": 0}
    assert Assessment.objects.count() == 2


def test_one_document_at_a_time_and_a_bad_one_is_said(space: Space) -> None:
    bad = read(space, b"%PDF-1.4 nothing", "bad.pdf")
    assert (bad.state, bad.error.split(":")[0]) == (JobState.FAILED, "The PDF cannot be read")
    assert not JobPart.objects.exists()
    start_document(
        space=space, name="a.txt", chunks=[b"x"], user_id=None, actor=ALICE, now=timezone.now()
    )
    with pytest.raises(Conflict):
        read(space)


# --- The dialog of the playground --------------------------------------------------------------


@pytest.fixture
def alices(alice: User) -> Client:
    return login(alice)


def upload(client: Client, data: bytes, name: str, **form: str) -> str:
    address = reverse("document_remember", args=["home"])
    return client.post(address, {"file": SimpleUploadedFile(name, data), **form}).text


def test_the_page_starts_the_job_for_the_open_conversation(
    space: Space, alices: Client, alice: User
) -> None:
    page = upload(alices, pdf(["I live in Porto."]), "cv.pdf", chat_as="me")
    assert "cv.pdf" in page
    assert "Waiting for a worker." in page
    [job] = Job.objects.in_space(space)
    named = {"name": "cv.pdf", "user_id": "alice", "time_zone": "UTC"}
    assert (job.kind, job.parameters) == ("document", named)
    assert "Another document is being read." in upload(alices, b"words", "b.txt")
    assert Job.objects.in_space(space).count() == 1


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (b"", "a.txt", "The file is empty."),
        (b"words", "a.docx", "Choose a text, Markdown or PDF file"),
        (b"x" * (10 * 2**20 + 1), "a.txt", "larger than 10 MB"),
    ],
)
def test_a_file_that_is_refused_is_not_stored(
    space: Space, alices: Client, data: bytes, name: str, sentence: str
) -> None:
    assert sentence in upload(alices, data, name)
    assert not Job.objects.exists()
    assert not JobPart.objects.exists()


def test_only_a_document_that_is_stored_is_resumed(space: Space, alices: Client) -> None:
    stopped = claimed(space)
    jobs.cancel(space=space, job_id=stopped.pk, now=timezone.now())
    work_at(stopped)
    address = reverse("job", args=["home", stopped.pk])
    assert "Resume" in alices.get(address).text

    bad = read(space, b"%PDF-1.4 nothing", "bad.pdf")
    page = alices.get(reverse("job", args=["home", bad.pk])).text
    assert "The PDF cannot be read" in page
    assert "Resume" not in page
    assert "sent to review" not in page


def test_viewers_and_strangers_give_no_documents(space: Space, bob: User, charlie: User) -> None:
    address = reverse("document_remember", args=["home"])
    assert [login(user).post(address).status_code for user in (bob, charlie)] == [403, 404]
    assert 'id="document"' not in login(bob).get(reverse("playground", args=["home"])).text
