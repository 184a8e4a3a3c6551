"""Many exchanges assessed again: those that failed, or all of a model; and resumed."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space, User
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox.services import store_assessed
from assessor.reassessing import latest_reassessing, start_reassessing, to_assess
from memory.drafts import MemoryChange
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import Job, JobState, Memory, MemoryEvent
from memory.retention.recycle_bin import delete_memory, purge_memory
from memory.store.services import revise_memory
from tests.assessor.outbox import assessment_result
from tests.memory.claiming import claimed
from tests.memory.writing import ALICE

pytestmark = pytest.mark.django_db

SAID = "I'm allergic to penicillin"


def failed(space: Space, said: str) -> Assessment:
    return Assessment.objects.create(
        space=space, user_message=said, state=State.FAILED, attempts=8, error="It was away."
    )


def assessed(space: Space, said: str, importance: float = 0.9, **changes: Any) -> Assessment:
    """Return an assessment by the model "stub"."""
    found = assessment_result(importance, summary=f"User said: {said}", **changes)
    return store_assessed(space=space, exchange=Exchange(said), result=found, now=timezone.now())


def begun(space: Space, model: str = "") -> Job:
    now = timezone.now()
    return claimed(start_reassessing(space=space, model=model, actor=ALICE, now=now))


def done(space: Space, model: str = "") -> Job:
    job = begun(space, model)
    work_at(job)
    job.refresh_from_db()
    return job


def as_it_is(row: Assessment) -> Assessment:
    return Assessment.objects.get(pk=row.pk)


def test_what_failed_is_assessed_and_nothing_else(space: Space, other_space: Space) -> None:
    told, small_talk = failed(space, SAID), failed(space, "hello")
    elsewhere, seen = failed(other_space, SAID), assessed(space, "I like tea", 0.6)

    job = done(space)

    assert (job.state, job.done, job.total) == (JobState.DONE, 2, 2)
    assert job.result == {"judged": 2, "failed": 0}
    assert as_it_is(told).state == State.DONE
    assert as_it_is(told).memory is not None
    assert as_it_is(small_talk).state == State.IGNORED
    assert as_it_is(elsewhere).state == State.FAILED
    assert as_it_is(seen).model == "stub"


def test_all_of_a_model_are_assessed_anew_and_their_own_memories_go_by_it(space: Space) -> None:
    kept, small_talk = assessed(space, SAID, 0.95), assessed(space, "hello", 0.95)
    changed = assessed(space, "thank you", 0.95)
    other = assessed(space, "My cat is called Momo", 0.8, model="another")
    touched = as_it_is(changed).memory
    assert touched is not None
    revise_memory(
        space=space, memory_id=touched.pk, change=MemoryChange(content="User is polite"),
        actor=ALICE, now=timezone.now(),
    )  # fmt: skip

    job = done(space, "stub")

    assert (job.state, job.result) == (JobState.DONE, {"judged": 3, "failed": 0})
    assert {as_it_is(row).provider for row in (kept, small_talk, changed)} == {"local"}
    memory = as_it_is(kept).memory
    assert memory is not None
    assert (memory.status, memory.content) == ("live", f"User said: {SAID}")
    assert memory.importance == as_it_is(kept).importance != 0.95
    gone = as_it_is(small_talk).memory
    assert gone is not None
    assert (gone.status, gone.bin_reason) == ("binned", "superseded")
    assert MemoryEvent.objects.get(memory_id=gone.pk, action="deleted").reason == "assessed again"
    # Somebody has had a hand in this one.
    assert as_it_is(changed).state == State.IGNORED
    assert Memory.objects.get(pk=touched.pk).status == "live"
    assert as_it_is(other).model == "another"
    assert to_assess(space, model="stub").count() == 0


def test_what_was_deleted_for_good_does_not_come_back(space: Space) -> None:
    row = assessed(space, SAID)
    assert row.memory is not None
    now = timezone.now()
    delete_memory(space=space, memory_id=row.memory.pk, actor=ALICE, now=now)
    purge_memory(space=space, memory_id=row.memory.pk, actor=ALICE, now=now)

    assert done(space, "stub").result == {"judged": 0, "failed": 0}
    assert not Memory.objects.in_space(space).exists()


def test_with_the_model_away_it_stops_and_goes_on_where_it_stood(
    space: Space, settings: Settings
) -> None:
    rows = [failed(space, f"{SAID}, {number} years ago") for number in range(3)]
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = "http://127.0.0.1:9/v1", "none"

    job = done(space)

    assert (job.state, job.done) == (JobState.FAILED, 0)
    assert job.error != ""
    assert as_it_is(rows[0]).state == State.RETRYING
    assert {as_it_is(row).state for row in rows[1:]} == {State.FAILED}
    settings.OPENAI_BASE_URL = settings.OPENAI_API_KEY = ""
    jobs.resume(space=space, job_id=job.pk, now=timezone.now())
    work_at(claimed(job))
    job.refresh_from_db()
    assert job.result == {"judged": 2, "failed": 0}
    assert {as_it_is(row).state for row in rows[1:]} == {State.DONE}


def test_a_cancelled_one_leaves_the_rest_as_it_was(space: Space) -> None:
    row = failed(space, SAID)
    job = begun(space)
    jobs.cancel(space=space, job_id=job.pk, now=timezone.now())

    work_at(job)

    job.refresh_from_db()
    assert job.state == JobState.CANCELLED
    assert as_it_is(row).state == State.FAILED


def test_an_owner_begins_it_from_the_filtered_page(space: Space, alice: User, bob: User) -> None:
    failed(space, SAID)
    assessed(space, "I like tea")
    owner, viewer = Client(), Client()
    owner.force_login(alice)
    viewer.force_login(bob)
    page = reverse("assessments", args=["home"])

    assert "Re-assess 1" in owner.get(page, {"state": "failed"}).content.decode()
    assert "Re-assess 1" in owner.get(page, {"model": "stub"}).content.decode()
    assert "Re-assess 1" not in owner.get(page).content.decode()
    assert "Re-assess 1" not in viewer.get(page, {"state": "failed"}).content.decode()
    again = reverse("assessments_again", args=["home"])
    assert viewer.post(again).status_code == 403
    assert "Waiting for a worker." in owner.post(again, {"model": "stub"}).content.decode()
    job = latest_reassessing(space)
    assert job is not None
    assert (job.parameters, job.total, job.actor_name) == ({"model": "stub"}, 1, "alice")
