"""Superseding a memory ends the time in which it was true."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Space, User
from foundation.readers import EVERYONE, Reader
from memory.drafts import MemoryChange
from memory.models import Memory
from memory.recall.recall import SearchRequest, recall
from memory.reconciliation.discarding import discard_memory, undo_discard
from memory.reconciliation.succession import succession
from memory.retention.endings import end_superseded
from memory.retention.recycle_bin import delete_memory, restore_memory, undo_restore
from memory.retention.sweep import sweep
from memory.review.services import approve_memory
from memory.store.services import revise_memory
from tests.conftest import ApiClient, MakeKey
from tests.memory.sweeping import DAY
from tests.memory.writing import ALICE, hold, learn, remember, stored

APRIL = datetime(2026, 4, 10, 9, 0, tzinfo=UTC)
MAY = datetime(2026, 5, 10, 9, 0, tzinfo=UTC)
JUNE = datetime(2026, 6, 10, 9, 0, tzinfo=UTC)

pytestmark = pytest.mark.django_db


def moved(space: Space, to: str = "User moved from Lisbon to Porto") -> tuple[Memory, Memory]:
    """An old home and the new one, as the database has them."""
    old = learn(space, "User lives in Lisbon", now=APRIL)
    new = learn(space, to, now=MAY)
    return stored(old), stored(new)


def test_the_old_ends_when_the_new_begins(space: Space) -> None:
    old, new = moved(space)
    assert (old.status, old.valid_to, old.superseded_by) == ("binned", MAY, new.pk)
    assert (old.begins_at, new.begins_at, new.valid_to) == (APRIL, MAY, None)


def test_the_words_may_date_the_change_earlier_than_they_were_said(space: Space) -> None:
    old = learn(space, "User has lived in Lisbon since 2019", now=APRIL)
    new = learn(space, "User moved from Lisbon to Porto in April 2026", now=MAY)
    assert stored(old).begins_at == datetime(2019, 1, 1, tzinfo=UTC)
    assert stored(old).valid_to == stored(new).valid_from == datetime(2026, 4, 1, tzinfo=UTC)


def test_the_old_stays_true_until_a_later_change(space: Space) -> None:
    old = learn(space, "User lives in Lisbon", now=MAY)
    new = learn(space, "User is moving from Lisbon to Porto on 1 June", now=MAY)
    assert (stored(old).status, stored(new).status) == ("live", "live")
    assert stored(old).valid_to == stored(new).valid_from == datetime(2026, 6, 1, tzinfo=UTC)
    assert succession(stored(old), EVERYONE) == [stored(old), stored(new)]
    end_superseded(now=MAY + 21 * DAY)
    assert stored(old).status == "live"
    end_superseded(now=JUNE)
    ended = stored(old)
    assert (ended.status, ended.bin_reason, ended.superseded_by) == ("binned", "superseded", new.pk)
    assert ended.valid_to == datetime(2026, 6, 1, tzinfo=UTC)


def test_what_a_deleted_memory_would_have_ended_stays_true(space: Space) -> None:
    old = learn(space, "User lives in Lisbon", now=MAY)
    new = learn(space, "User is moving from Lisbon to Porto on 1 June", now=MAY)
    delete_memory(space=space, memory_id=new.pk, actor=ALICE, now=MAY)
    end_superseded(now=JUNE)
    assert (stored(old).status, stored(old).valid_to) == ("live", None)


def test_nothing_ends_before_it_began(space: Space) -> None:
    old, _new = moved(space, "User moved from Lisbon to Porto in March")
    assert old.valid_to == APRIL


def test_the_api_shows_the_times(space: Space, key: MakeKey) -> None:
    made = learn(space, "User moved to Porto in March", now=MAY)
    shown = ApiClient(key()).get(f"memories/{made.pk}").json()
    assert shown["event_at"] == shown["valid_from"] == "2026-03-01T00:00:00Z"
    assert (shown["event_precision"], shown["valid_to"]) == ("month", None)
    plain = ApiClient(key()).get(f"memories/{remember(space, 'User likes tea', now=MAY).pk}").json()
    assert (plain["event_at"], plain["event_precision"]) == (None, None)
    assert plain["valid_from"] == plain["created_at"]


def test_an_edited_text_is_read_again(space: Space) -> None:
    made = remember(space, "User moved to Porto in March", now=MAY)
    change = MemoryChange(content="User moved to Porto on 2 April")
    edited = revise_memory(space=space, memory_id=made.pk, change=change, actor=ALICE, now=JUNE)
    assert (edited.event_day, edited.event_precision) == ("2026-04-02", "day")
    change = MemoryChange(content="User lives in Porto")
    edited = revise_memory(space=space, memory_id=made.pk, change=change, actor=ALICE, now=JUNE)
    assert (edited.event_day, edited.event_precision, edited.begins_at) == ("", "", MAY)


def test_each_memory_of_a_succession_knows_the_whole(space: Space) -> None:
    said_at = {"Lisbon": APRIL, "Porto": MAY, "Faro": JUNE}
    homes = [learn(space, f"User lives in {city}", now=now) for city, now in said_at.items()]
    remember(space, "User likes tea", now=MAY)
    for home in homes:
        assert succession(stored(home), EVERYONE) == homes
    assert succession(homes[0], Reader("alice", with_shared=False)) == []


def test_a_memory_alone_has_no_succession(space: Space) -> None:
    assert succession(remember(space, "User likes tea", now=MAY), EVERYONE) == []


def test_a_restored_memory_leaves_the_succession_until_that_is_undone(space: Space) -> None:
    old, new = moved(space)
    actor = ALICE.in_action()
    restore_memory(space=space, memory_id=old.pk, actor=actor, now=JUNE)
    assert stored(old).valid_to is None
    assert succession(new, EVERYONE) == []
    assert succession(stored(old), EVERYONE) == []
    assert actor.action_id is not None
    undo_restore(space=space, action_id=actor.action_id, actor=actor, now=JUNE)
    assert stored(old).valid_to == MAY
    assert succession(new, EVERYONE) == [stored(old), new]


def test_a_wrong_successor_gives_the_truth_back_and_takes_it_again(space: Space) -> None:
    old, new = moved(space)
    discard_memory(space=space, memory_id=new.pk, actor=ALICE, now=JUNE, reason="wrong")
    assert (stored(old).status, stored(old).valid_to) == ("live", None)
    undo_discard(space=space, memory_id=new.pk, actor=ALICE, now=JUNE)
    assert (stored(old).status, stored(old).valid_to) == ("binned", MAY)


def test_an_approved_statement_ends_what_it_supersedes(space: Space) -> None:
    old = learn(space, "User lives in Lisbon", now=APRIL)
    held = hold(space, "User moved from Lisbon to Porto")
    approve_memory(space=space, memory_id=held.pk, actor=ALICE, now=JUNE)
    ended = stored(old)
    assert (ended.superseded_by, ended.valid_to) == (held.pk, max(APRIL, held.begins_at))


def test_the_past_is_kept_as_long_as_the_present(space: Space) -> None:
    old = learn(space, "User lives in Lisbon", now=APRIL)
    new = learn(space, "User moved from Lisbon to Porto", now=MAY, importance=0.9)
    sweep(space=space, now=JUNE + 365 * DAY)
    assert [one.pk for one in Memory.objects.in_space(space).binned()] == [old.pk]
    request = SearchRequest("Where does the user live?", as_of=APRIL, limit=1)
    [found] = recall(space, request, now=JUNE + 365 * DAY).results
    assert found.memory.pk == old.pk

    delete_memory(space=space, memory_id=new.pk, actor=ALICE, now=JUNE + 366 * DAY)
    sweep(space=space, now=JUNE + 390 * DAY)
    assert Memory.objects.in_space(space).binned().count() == 2  # both can be restored
    assert sweep(space=space, now=JUNE + 397 * DAY).purged == 1
    assert sweep(space=space, now=JUNE + 397 * DAY).purged == 1
    assert not Memory.objects.in_space(space).exists()


def test_the_bin_says_what_it_keeps_for_the_past(
    space: Space, key: MakeKey, client: Client, alice: User
) -> None:
    old, new = moved(space)
    delete_memory(space=space, memory_id=new.pk, actor=ALICE, now=JUNE)
    items = ApiClient(key()).get("recycle-bin").json()["items"]
    until = {item["id"]: item["purge_at"] for item in items}
    assert until == {str(new.pk): "2026-07-10T09:00:00Z", str(old.pk): None}
    client.force_login(alice)
    page = client.get(reverse("bin", args=[space.slug])).content.decode()
    cards = {pk: page.split(f'id="memory-{pk}"')[1].split("</article>")[0] for pk in until}
    assert "kept for questions about the past" in cards[str(old.pk)]
    assert "purged on July 10, 2026" in cards[str(new.pk)]


def test_several_facts_stay_true_with_the_new_one_in_brackets(space: Space) -> None:
    old = learn(space, "User lives in Lisbon. User plays the cello", now=APRIL)
    new = learn(space, "User moved from Lisbon to Porto", now=MAY)
    assert new.pk == old.pk
    assert (stored(old).status, stored(old).valid_to) == ("live", None)
