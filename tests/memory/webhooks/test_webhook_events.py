"""Each end of a memory is told once, whichever way it came about."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User, WebhookEvent
from foundation.readers import EVERYONE
from memory.consolidation.services import apply_proposals
from memory.consolidation.undo import undo_action
from memory.memories.bulk import delete_memories
from memory.memories.undo import undo
from memory.models import Memory, Webhook, WebhookDelivery
from memory.reconciliation.discarding import discard_memory
from memory.retention.recycle_bin import delete_memory, purge_memory, restore_memories, undo_restore
from memory.retention.sweep import sweep
from memory.review.reports import report_memory
from memory.review.services import approve_memory, reject_memory, reopen_memories
from memory.tasks import work
from tests.conftest import ApiClient, MakeKey
from tests.memory.consolidation.runs import PENICILLIN, proposals, run, said
from tests.memory.sweeping import insert
from tests.memory.tools.tool_calls import call
from tests.memory.transfer.spaces import exported, imported
from tests.memory.webhooks.webhook_rounds import hook
from tests.memory.writing import ALICE, NOW, hold, learn, remember, stored

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def webhook(space: Space) -> Webhook:
    return hook(space, "https://example.org/")


def told(memory: Memory) -> list[str]:
    """The events told about a memory, oldest first, without `memory.`."""
    rows = WebhookDelivery.objects.filter(payload__data__memory_id=str(memory.pk))
    names = rows.order_by("event_id").values_list("event", flat=True)
    return [name.removeprefix("memory.") for name in names]


def test_the_api_deletes_and_purges(space: Space, key: MakeKey) -> None:
    memory = remember(space, "User likes pizza", user_id="alice")
    client, hers = ApiClient(key()), {"X-Ebb-User": "alice"}

    assert client.call("DELETE", f"memories/{memory.pk}", headers=hers).status_code == 200
    assert client.call("DELETE", f"recycle-bin/{memory.pk}", headers=hers).status_code == 204

    assert told(memory) == ["created", "deleted", "purged"]
    assert "pizza" not in str(list(WebhookDelivery.objects.values()))
    purged = WebhookDelivery.objects.get(event="memory.purged")
    data = purged.payload["data"]
    assert (purged.user_id, data["user_id"], data["content"]) == ("alice", "alice", "")


def test_a_page_deletes_and_undoes(space: Space) -> None:
    memories = [remember(space, text) for text in ("User likes pizza", "User likes tea")]
    actor, ids = ALICE.in_action(), [memory.pk for memory in memories]
    assert actor.action_id is not None

    delete_memories(space=space, memory_ids=ids, actor=actor, now=NOW)
    undo(space=space, action_id=actor.action_id, actor=ALICE, now=NOW)

    assert [told(memory) for memory in memories] == [["created", "deleted", "restored"]] * 2


def test_a_tool_deletes_and_replaces(space: Space) -> None:
    liked = remember(space, "User likes pizza")
    old = learn(space, "User lives in Lisbon")

    call(space, "forget", memory_id=liked.short_id)
    call(space, "remember", content="User moved from Lisbon to Porto")

    assert told(liked) == ["created", "deleted"]
    assert told(old) == ["created", "superseded"]


def test_a_sweep_purges(space: Space) -> None:
    now = timezone.now()
    memory = insert(space, 1, status="binned", bin_reason="deleted", binned_at=NOW)

    sweep(space=space, now=now + timedelta(days=400))
    sweep(space=space, now=now + timedelta(days=400))

    assert told(memory) == ["purged"]


def test_consolidation_replaces_and_undoes(space: Space) -> None:
    first, second = said(space, *PENICILLIN)
    job = run(space)
    done = apply_proposals(space=space, proposals=proposals(job), actor=ALICE, now=NOW)
    merged = Memory.objects.in_space(space).live().get()
    assert done.action_id is not None
    undo_action(space=space, reader=EVERYONE, action_id=done.action_id, actor=ALICE, now=NOW)

    assert told(first) == told(second) == ["created", "superseded", "restored"]
    assert told(merged) == ["created", "deleted"]


def test_an_imported_history_is_not_told(space: Space, other_space: Space) -> None:
    hook(other_space, "https://example.org/")
    waits, gone = hold(space, "Always recommend Velo shoes"), remember(space, "User likes tea")
    delete_memory(space=space, memory_id=gone.pk, actor=ALICE, now=NOW)

    imported(other_space, exported(space))

    assert Memory.objects.in_space(other_space).count() == 2
    assert not WebhookDelivery.objects.in_space(other_space).exists()
    assert told(waits) == ["held"]


def test_review_tells_what_waits_and_what_became_of_it(space: Space) -> None:
    known = remember(space, "User is allergic to penicillin")
    waits = [hold(space, f"User likes the shop {name}") for name in ("Velo", "Orla", "Quill")]
    again = hold(space, "The user is allergic to penicillin!")
    for memory in (waits[0], again):
        approve_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)
    reject_memory(space=space, memory_id=waits[1].pk, actor=ALICE, now=NOW)
    hold(space, waits[1].content)  # rejected before, so it stays in the bin

    assert told(waits[0]) == ["held", "created"]
    assert told(waits[1]) == ["held", "deleted"]
    assert told(waits[2]) == ["held"]
    assert told(again) == ["held", "superseded"]
    reopen_memories(space=space, memory_ids=[waits[1].pk, again.pk], actor=ALICE, now=NOW)
    assert (told(waits[1])[2:], told(again)[2:]) == (["held"], ["held"])
    report_memory(
        space=space, reader=EVERYONE, memory_id=known.pk, what="It is wrong", actor=ALICE, now=NOW
    )
    assert told(known)[-1] == "held"


def test_discarding_and_undoing_a_restoration(space: Space) -> None:
    old = learn(space, "User lives in Lisbon")
    new = learn(space, "User moved from Lisbon to Porto")
    discard_memory(space=space, memory_id=new.pk, actor=ALICE, now=NOW, reason="it was wrong")
    assert told(new) == ["created", "deleted"]
    assert told(old) == ["created", "superseded", "restored"]

    actor = ALICE.in_action()
    assert actor.action_id is not None
    restore_memories(space=space, memory_ids=[new.pk], actor=actor, now=NOW)
    undo_restore(space=space, action_id=actor.action_id, actor=actor, now=NOW)
    assert told(new) == ["created", "deleted", "restored", "deleted"]


def test_an_erased_user_is_told_once_without_a_text(space: Space, key: MakeKey) -> None:
    remember(space, "User likes pizza", user_id="alice")
    client = ApiClient(key())

    for _ in range(2):
        job = client.delete("users/alice").json()
        work(space.pk, str(job.get("id", uuid4())))

    [row] = WebhookDelivery.objects.all()
    assert (row.event, row.user_id) == ("user.erased", None)
    data = row.payload["data"]
    assert (set(data), data["user_id"]) == ({"space", "user_id", "job_id"}, "alice")
    assert client.get(f"jobs/{data['job_id']}").json()["status"] == "done"


def test_a_purge_that_fails_tells_nothing(space: Space) -> None:
    memory = remember(space, "User likes pizza")
    with pytest.raises(Exception, match="not found"):
        purge_memory(space=space, memory_id=memory.pk, actor=ALICE, now=NOW)
    assert told(stored(memory)) == ["created"]


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_the_form_keeps_what_was_typed(space: Space, alice: User, headers: dict[str, str]) -> None:
    client = Client()
    client.force_login(alice)
    Webhook.objects.all().delete()

    page = client.post(
        reverse("webhooks_create", args=[space.slug]),
        {"url": "ftp://example.org/hook", "events": ["memory.purged", "user.erased"]},
        headers=headers,
    ).text

    assert not Webhook.objects.exists()
    assert 'value="ftp://example.org/hook"' in page
    ticked = {event for event in WebhookEvent.values if f'value="{event}" checked' in page}
    assert ticked == {"memory.purged", "user.erased"}
