"""The proposals of a run, and the memories that it leaves alone."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.models import Space
from foundation.readers import SHARED, Reader
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import ConsolidationProposal, Job, JobState, Memory, MemoryEvent
from memory.tasks import consolidate_all_spaces
from tests.memory.claiming import claimed
from tests.memory.consolidation.runs import (
    MOVING,
    PENICILLIN,
    TRAINING,
    episode,
    proposals,
    proposed,
    run,
    said,
    started,
)
from tests.memory.writing import NOW, remember, set_policy

pytestmark = pytest.mark.django_db


def test_wordings_of_one_fact_become_one_memory(space: Space) -> None:
    first, second, third = said(space, *PENICILLIN, "Allergic to penicillin", importance=0.8)
    said(space, "User's brother is allergic to penicillin", "User likes jazz")
    before = MemoryEvent.objects.in_space(space).count()

    [one] = proposed(space)

    assert (one.kind, one.sources) == ("merge", [first.pk, second.pk, third.pk])
    assert one.result is not None
    assert one.result["content"] in PENICILLIN
    assert (one.result["memory_type"], one.result["importance"]) == ("observation", 0.8)
    assert one.confidence >= 0.9
    # Nothing but the proposal was written.
    assert Memory.objects.in_space(space).live().count() == 5
    assert MemoryEvent.objects.in_space(space).count() == before


def test_a_newer_statement_replaces_all_wordings_of_the_older_one(space: Space) -> None:
    old, again, new = said(space, "User smokes", "User smokes.", "User quit smoking")
    said(space, "User's flatmate smokes")

    [one] = proposed(space)

    assert (one.kind, one.result) == ("contradiction", None)
    assert one.sources == [old.pk, again.pk, new.pk]
    assert one.removed == [old.pk, again.pk]


def test_what_was_said_again_after_its_end_is_true(space: Space) -> None:
    coffee, tea, again = said(space, "User loves coffee", "User hates coffee", "User loves coffee")

    merge, end = sorted(proposed(space), key=lambda one: -len(one.removed))

    assert (merge.kind, merge.sources) == ("merge", [coffee.pk, again.pk])
    assert (end.kind, end.removed, end.sources[-1]) == ("contradiction", [tea.pk], again.pk)


def test_an_address_is_one_fact(space: Space) -> None:
    old, new = said(space, "User's email is kai@example.org", "User's email is kai@example.com")

    [one] = proposed(space)

    assert (one.kind, one.removed, one.sources[-1]) == ("contradiction", [old.pk], new.pk)


def test_a_number_in_words_does_not_end_the_same_number(space: Space) -> None:
    said(space, "User has two cats", "User has 2 cats")

    [one] = proposed(space)

    assert one.kind == "merge"


def test_an_older_memory_of_several_facts_keeps_the_others(space: Space) -> None:
    old, new = said(space, "User smokes, and User plays the cello", "User quit smoking")

    [one] = proposed(space)

    assert one.sources == one.removed == [old.pk, new.pk]
    assert one.result is not None
    assert one.result["content"] == (
        "User smokes, and User plays the cello [2026-02-19: User quit smoking]"
    )


def test_a_long_text_is_not_ended(space: Space) -> None:
    long = ", and ".join(["User smokes", *(f"User has read book {n} of a shelf" for n in range(9))])
    said(space, long, "User quit smoking")

    assert proposed(space) == []


def test_small_observations_of_a_conversation_are_summarised(space: Space) -> None:
    repeated = (*TRAINING[:4], "User's left knee hurt.", "User packed a tent for Sintra.")
    memories = episode(space, texts=repeated)

    first, second = sorted(proposed(space), key=lambda one: one.sources != _ids(memories[:3]))

    assert first.kind == second.kind == "summarise"
    assert (first.sources, second.sources) == (_ids(memories[:3]), _ids(memories[3:]))
    # Each sentence has its source; one that repeats another is left out.
    assert [one["text"] for one in first.sentences] == list(TRAINING[:3])
    assert [one["text"] for one in second.sentences] == [repeated[3], repeated[5]]
    assert [one["sources"] for one in second.sentences] == [
        [str(memories[3].pk)], [str(memories[5].pk)],
    ]  # fmt: skip
    assert second.result is not None
    assert second.result["content"] == f"{repeated[3]} {repeated[5]}"


def test_turns_of_one_moment_are_joined_as_they_were_said(space: Space) -> None:
    source = {"conversation_id": "c1"}
    texts = [*TRAINING[:4], *MOVING[:4]]
    memories = [
        remember(space, text, created_at=NOW, memory_type="observation", source=source)
        for text in texts
    ]

    found = sorted(proposed(space), key=lambda one: _ids(memories).index(one.sources[0]))

    assert [pk for one in found for pk in one.sources] == _ids(memories)
    assert [sentence["text"] for one in found for sentence in one.sentences] == texts


def test_how_to_answer_is_not_summarised(space: Space) -> None:
    wish = "Always mention the sources when I ask about running."
    first, _, last = episode(space, texts=(TRAINING[0], wish, TRAINING[1]))

    [one] = proposed(space)

    assert one.sources == _ids([first, last])


def test_a_chinese_text_of_44_characters_is_not_small(space: Space) -> None:
    texts = ("用户每周日在公园里跑步。", "用户买了新的跑鞋。", f"用户{'很' * 41}忙。")
    small = _ids(episode(space, texts=texts)[:2])

    assert [one.sources for one in proposed(space)] == [small]


def test_a_summary_has_the_words_of_one_speaker(space: Space) -> None:
    speakers = dict(zip(TRAINING, ("Ann", "Ben", "Ann", "Ben", "Cem"), strict=True))
    for number, (text, speaker) in enumerate(speakers.items()):
        remember(
            space,
            text,
            created_at=NOW + timedelta(minutes=number),
            memory_type="observation",
            source={"conversation_id": "c1", "speaker": speaker},
        )

    found = proposed(space)

    said_by = [{speakers[sentence["text"]] for sentence in one.sentences} for one in found]
    assert sorted(said_by, key=sorted) == [{"Ann"}, {"Ben"}]
    assert all(len(one.sources) == 2 for one in found)


def test_few_or_scattered_observations_are_not_summarised(space: Space) -> None:
    for number, text in enumerate(TRAINING):
        source = {"conversation_id": f"c{number}"}
        remember(space, text, memory_type="observation", source=source)

    assert proposed(space) == []


def test_pinned_core_and_externally_known_memories_are_left_alone(space: Space) -> None:
    remember(space, PENICILLIN[0])
    remember(space, PENICILLIN[1], pinned=True)
    remember(space, PENICILLIN[0], facets={"P": 1.0})
    remember(space, PENICILLIN[1], external_id="row-7")

    assert proposed(space) == []


def test_memories_of_different_users_are_never_grouped(space: Space) -> None:
    for user_id in (None, "alice", "bob"):
        remember(space, PENICILLIN[0], user_id=user_id)
        episode(space, user_id=user_id)
    [alice] = said(space, PENICILLIN[1], user_id="alice")

    found = proposed(space)

    owners = {one.pk: one.user_id for one in Memory.objects.in_space(space)}
    assert all({owners[pk] for pk in one.sources} == {one.user_id} for one in found)
    [merge] = [one for one in found if one.kind == "merge"]
    assert alice.pk in merge.sources
    assert {one.user_id for one in found if one.kind == "summarise"} == {None, "alice", "bob"}


def test_a_run_for_one_user_leaves_the_others_proposals(space: Space) -> None:
    for user_id in (None, "alice"):
        said(space, *PENICILLIN, user_id=user_id)
    shared, alice = proposed(space, SHARED), proposed(space, Reader("alice"))

    assert [one.user_id for one in (*shared, *alice)] == [None, "alice"]
    assert ConsolidationProposal.objects.in_space(space).open().count() == 2
    # A new run makes its own proposals again from the memories as they are now.
    again = proposed(space, Reader("alice"))
    assert again[0].sources == alice[0].sources
    assert ConsolidationProposal.objects.in_space(space).open().count() == 2


def test_a_rejected_proposal_is_not_made_again(space: Space) -> None:
    said(space, *PENICILLIN, "Allergic to penicillin")
    [one] = proposed(space)
    ConsolidationProposal.objects.filter(pk=one.pk).update(state="rejected")

    assert proposed(space) == []


def test_a_cancelled_run_continues_where_it_stopped(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.consolidation.consolidation_job.BATCH", 2)
    said(space, *PENICILLIN, "User likes jazz", "User smokes", "User quit smoking")
    episode(space)
    expected = {tuple(one.sources) for one in proposed(space)}
    job = started(space)
    steps: list[Any] = []
    advance = jobs.advance

    def cancelled_later(**step: Any) -> None:
        advance(**step)
        steps.append(step)
        if len(steps) == 3:  # in the step's transaction; the next step stops
            jobs.cancel(space=space, job_id=job.pk, now=timezone.now())

    monkeypatch.setattr(jobs, "advance", cancelled_later)
    work_at(job)
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED

    jobs.resume(space=space, job_id=job.pk, now=timezone.now())
    work_at(claimed(job))

    job.refresh_from_db()
    assert job.state == JobState.DONE
    assert {tuple(one.sources) for one in proposals(job)} == expected
    counts = (job.result["merge"], job.result["contradiction"], job.result["summarise"])
    assert counts == (1, 1, 2)


def test_beat_starts_a_run_where_the_policy_asks_for_it(space: Space, other_space: Space) -> None:
    set_policy(space, consolidation={"mode": "propose"})
    consolidate_all_spaces()
    consolidate_all_spaces()  # the first one is still waiting

    entry = settings.CELERY_BEAT_SCHEDULE["consolidate"]
    assert entry["task"] == consolidate_all_spaces.name
    [job] = Job.objects.filter(kind="consolidate")
    assert (job.space_id, job.actor_type, job.parameters["applies"]) == (space.pk, "system", False)


def test_a_run_of_an_empty_space_ends(space: Space) -> None:
    job = run(space)

    assert (job.state, job.result["merge"], job.result["action_id"]) == (JobState.DONE, 0, None)


def _ids(memories: Sequence[Memory]) -> list[UUID]:
    return [memory.pk for memory in memories]
