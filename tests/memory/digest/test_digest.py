"""The digest of a week: its sections and lines, and the undo of each."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import Conflict, Forbidden, InvalidArguments, NotFound
from foundation.readers import EVERYONE, SHARED, Reader
from memory.consolidation.services import apply_proposals
from memory.digest.digest import digest_of, section_of
from memory.digest.lines import Line
from memory.digest.sections import Section
from memory.digest.undo import undo_line
from memory.digest.weeks import Week, parse_week, week_of
from memory.drafts import MemoryChange
from memory.memories.bulk import tag_memories
from memory.models import Memory
from memory.retention.recycle_bin import delete_memory, purge_memories, restore_memories
from memory.retention.sweep import sweep
from memory.review.services import approve_memory, reject_memory
from memory.store.services import revise_memory
from tests.memory.consolidation.runs import PENICILLIN, proposals, run, said
from tests.memory.writing import ALICE, NOW, hold, learn, remember, stored

pytestmark = pytest.mark.django_db

BOB = Actor("user", "bob")
WEEK = week_of(NOW)
LATER = NOW + timedelta(hours=1)


def lines(space: Space, section: str, week: Week = WEEK, reader: Reader = EVERYONE) -> list[Line]:
    found = digest_of(space=space, reader=reader, week=week, limit=50)
    assert found.counts[Section(section)] == len(found.of(Section(section)))
    return found.of(Section(section))


def only(space: Space, section: str) -> Line:
    [line] = lines(space, section)
    return line


def counts(space: Space) -> list[int]:
    """The numbers of lines: learned, changed, consolidated, forgotten."""
    return list(digest_of(space=space, reader=EVERYONE, week=WEEK, limit=1).counts.values())


def undo(space: Space, line: Line, reader: Reader = EVERYONE) -> Line:
    return undo_line(space=space, reader=reader, line_id=line.id, actor=BOB, now=LATER)


def revised(space: Space, memory: Memory, **change: Any) -> None:
    revise_memory(
        space=space, memory_id=memory.pk, change=MemoryChange(**change), actor=ALICE, now=NOW
    )


def deleted(space: Space, memory: Memory, now: datetime = NOW) -> None:
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=now)


def test_a_week_begins_on_monday_and_has_a_name() -> None:
    week = parse_week("2026-W08")

    assert week == WEEK
    assert week.begins_at == datetime(2026, 2, 16, tzinfo=UTC)
    assert week.ends_at == datetime(2026, 2, 23, tzinfo=UTC)
    assert (week.name, week.previous.name, week.following.name) == (
        "2026-W08", "2026-W07", "2026-W09",
    )  # fmt: skip
    assert week_of(datetime(2027, 1, 1, tzinfo=UTC)).name == "2026-W53"
    for wrong in ("2026-08", "2025-W53", "2026-W00", "9999-W01", "x", ""):
        with pytest.raises(InvalidArguments):
            parse_week(wrong)


def test_lines_belong_to_the_week_of_their_event(space: Space) -> None:
    remember(space, "User likes tea", now=WEEK.begins_at)
    remember(space, "User likes pasta", now=WEEK.ends_at - timedelta(seconds=1))
    remember(space, "User likes pizza", now=WEEK.ends_at)

    assert [line.content for line in lines(space, "learned")] == [
        "User likes pasta", "User likes tea",
    ]  # fmt: skip
    assert [line.content for line in lines(space, "learned", WEEK.following)] == [
        "User likes pizza"
    ]
    assert counts(space) == [2, 0, 0, 0]


def test_a_learned_memory_moves_to_the_bin(space: Space) -> None:
    memory = remember(space, "User likes pizza")
    line = only(space, "learned")
    assert (line.undo, line.action, line.memory_id) == ("move_to_bin", "created", memory.pk)

    done = undo(space, line)

    assert (done.undo, done.since) == (None, "binned")
    assert (stored(memory).status, stored(memory).bin_reason) == ("binned", "deleted")
    # The undo is no line of its own.
    assert counts(space) == [1, 0, 0, 0]
    with pytest.raises(Conflict):
        undo(space, line)


def test_a_statement_that_replaced_another_one_is_a_change(space: Space) -> None:
    old = learn(space, "User lives in Porto")
    new = learn(space, "User moved to Lisbon", now=LATER)
    assert stored(old).bin_reason == "superseded"
    assert counts(space) == [1, 1, 0, 0]
    line = only(space, "changed")
    assert (line.action, line.undo) == ("replaced", "restore_older")
    assert (line.before, line.content) == (["User lives in Porto"], "User moved to Lisbon")

    assert undo(space, line).since == "binned"

    assert (stored(old).status, stored(new).status) == ("live", "binned")


def test_a_revision_is_reverted_unless_another_one_followed(space: Space) -> None:
    memory = remember(space, "User likes pizza", importance=0.4)
    revised(space, memory, content="User likes pasta")
    line = only(space, "changed")
    assert (line.before, line.content, line.undo) == (
        ["User likes pizza"], "User likes pasta", "revert",
    )  # fmt: skip

    assert undo(space, line).since == "undone"

    assert stored(memory).content == "User likes pizza"
    assert counts(space) == [1, 1, 0, 0]
    revised(space, memory, importance=0.9)
    newest, first = lines(space, "changed")
    assert (newest.undo, newest.before) == ("revert", [])
    assert (first.undo, first.since) == (None, "changed")
    undo(space, newest)
    assert stored(memory).importance == 0.4


def test_one_line_of_a_change_to_many_is_undone_alone(space: Space) -> None:
    first, second = remember(space, "User likes tea"), remember(space, "User likes pasta")
    tag_memories(space=space, memory_ids=[first.pk, second.pk], tag="food", actor=ALICE, now=NOW)
    [line] = [one for one in lines(space, "changed") if one.memory_id == first.pk]

    undo(space, line)

    assert (stored(first).tags, stored(second).tags) == ([], ["food"])


@pytest.mark.parametrize("why", ["expired", "deleted"])
def test_a_forgotten_memory_is_restored_from_the_bin(space: Space, why: str) -> None:
    before = WEEK.begins_at - timedelta(days=3)
    memory = remember(space, "User likes pizza", now=before, importance=0.1)
    if why == "expired":
        sweep(space=space, now=NOW)
    else:
        deleted(space, memory)
    line = only(space, "forgotten")
    assert (line.action, line.undo) == (why, "restore")

    assert undo(space, line).since == "restored"

    assert (stored(memory).status, stored(memory).clock_started_at) == ("live", LATER)
    assert counts(space) == [0, 0, 0, 1]


def test_an_old_removal_does_not_undo_a_newer_one(space: Space) -> None:
    memory = remember(space, "User likes pizza")
    deleted(space, memory)
    restore_memories(space=space, memory_ids=[memory.pk], actor=ALICE, now=LATER)
    deleted(space, memory, now=LATER + timedelta(hours=1))

    newest, oldest = lines(space, "forgotten")

    assert (newest.undo, oldest.undo, oldest.since) == ("restore", None, "binned")


def test_a_purged_memory_has_a_line_without_text(space: Space) -> None:
    memory = remember(space, "User likes pizza")
    deleted(space, memory)
    purge_memories(space=space, memory_ids=[memory.pk], actor=ALICE, now=LATER)

    line = only(space, "forgotten")

    assert (line.content, line.undo, line.since) == ("", None, "purged")


def test_a_memory_in_review_is_learned_when_it_is_approved(space: Space) -> None:
    waiting, refused, accepted = (
        hold(space, f"User likes {name}") for name in ("pizza", "pasta", "tea")
    )
    reject_memory(space=space, memory_id=refused.pk, actor=ALICE, now=NOW)
    approve_memory(space=space, memory_id=accepted.pk, actor=ALICE, now=NOW)

    line = only(space, "learned")

    assert (line.action, line.memory_id) == ("approved", accepted.pk)
    assert stored(waiting).status == "review"
    assert counts(space) == [1, 0, 0, 0]
    undo(space, line)
    assert stored(accepted).status == "binned"


def consolidated(space: Space) -> UUID:
    """The action of a run that merged one group and ended one fact."""
    said(space, *PENICILLIN, "User smokes", "User quit smoking", at=NOW - timedelta(days=30))
    found = proposals(run(space))
    done = apply_proposals(space=space, proposals=found, actor=ALICE, now=NOW)
    assert done.applied == 2
    assert done.action_id is not None
    return done.action_id


def test_a_consolidation_is_undone_proposal_by_proposal(space: Space) -> None:
    action_id = consolidated(space)
    before = WEEK.previous
    merge, ended = sorted(lines(space, "consolidated"), key=lambda one: one.action)[::-1]
    assert (merge.action, ended.action) == ("merge", "contradiction")
    assert sorted(merge.before) == sorted(PENICILLIN)
    assert (ended.before, ended.content) == (["User smokes"], "User quit smoking")
    assert {merge.action_id, ended.action_id} == {action_id}
    assert (merge.in_action, merge.undo) == (2, "restore_sources")
    # What a consolidation created and removed is part of its lines only.
    assert lines(space, "forgotten") == lines(space, "changed") == []
    assert lines(space, "consolidated", before) == []

    assert undo(space, merge).since == "undone"

    live = Memory.objects.in_space(space).live().values_list("content", flat=True)
    assert sorted(live) == sorted([*PENICILLIN, "User quit smoking"])
    [still] = [one for one in lines(space, "consolidated") if one.undo]
    assert (still.action, still.in_action) == ("contradiction", 1)
    undo(space, still)
    assert Memory.objects.in_space(space).live().count() == 4
    with pytest.raises(Conflict):
        undo(space, merge)


def test_a_changed_result_of_a_consolidation_is_left(space: Space) -> None:
    consolidated(space)
    merged = Memory.objects.in_space(space).live().exclude(content__startswith="User quit").get()
    revised(space, merged, importance=0.9)

    merge = next(one for one in lines(space, "consolidated") if one.action == "merge")

    assert (merge.undo, merge.since) == (None, "changed")
    with pytest.raises(Conflict):
        undo(space, merge)


def test_a_consolidation_whose_sources_are_purged_is_not_undone(space: Space) -> None:
    consolidated(space)
    ids = list(Memory.objects.in_space(space).binned().values_list("pk", flat=True))
    purge_memories(space=space, memory_ids=ids, actor=ALICE, now=LATER)

    found = lines(space, "consolidated")

    assert [(line.undo, line.since) for line in found] == [(None, "purged")] * 2


def test_a_reader_sees_and_undoes_only_their_lines(space: Space) -> None:
    remember(space, "User likes tea")
    memory = remember(space, "User likes pizza", user_id="alice")
    shared, own = (
        next(one for one in lines(space, "learned") if one.user_id == name)
        for name in (None, "alice")
    )

    assert [one.id for one in lines(space, "learned", reader=SHARED)] == [shared.id]
    with pytest.raises(NotFound):
        undo(space, own, Reader("bob"))
    with pytest.raises(Forbidden):
        undo(space, shared, Reader("alice"))
    undo(space, own, Reader("alice"))
    assert stored(memory).status == "binned"


def test_lines_that_do_not_exist_are_not_found(space: Space, other_space: Space) -> None:
    remember(other_space, "User likes tea")
    strange = only(other_space, "learned")

    for line_id in (strange.id, "0", "9" * 18, "9" * 30, "x", str(uuid4())):
        with pytest.raises(NotFound):
            undo_line(space=space, reader=EVERYONE, line_id=line_id, actor=BOB, now=LATER)


def paged(space: Space, section: Section) -> list[str]:
    """The ids of a section's lines, read one by one."""
    ids: list[str] = []
    cursor = None
    while True:
        page = section_of(
            space=space, reader=EVERYONE, week=WEEK, section=section, limit=1, cursor=cursor
        )
        ids += [line.id for line in page.lines]
        if (cursor := page.following) is None:
            return ids


def test_a_section_is_read_in_pages(space: Space) -> None:
    for name in ("tea", "pasta", "pizza"):
        remember(space, f"User likes {name}")
    consolidated(space)
    seen = {one: paged(space, one) for one in (Section.LEARNED, Section.CONSOLIDATED)}

    # The sources of the consolidation were learned in this week as well.
    assert [len(seen[section]) for section in seen] == [7, 2]
    assert all(len(set(ids)) == len(ids) for ids in seen.values())
