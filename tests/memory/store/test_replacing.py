"""Replacing a turn while its neighbour is put before a model: neither waits for the other's end."""

import threading
import time

import pytest
from django.db import connection, transaction

from accounts.models import Space
from memory.drafts import MemoryDraft, Source
from memory.models import Memory
from memory.store.services import create_memories
from tests.locks import somebody_waits
from tests.memory.writing import ALICE, NOW, learn

pytestmark = pytest.mark.django_db(transaction=True)

TURNS = ("User lives in Lisbon", "Good for you!")


def talk(space: Space) -> tuple[Memory, Memory]:
    """Two turns of a conversation, of which the first has the greater id: it is held last."""
    for number in range(100):
        source = Source(conversation_id=f"talk-{number}")
        drafts = [MemoryDraft(content=said, source=source, created_at=NOW) for said in TURNS]
        old, beside = create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)
        if old.pk > beside.pk:
            return old, beside
        Memory.objects.filter(pk__in=[old.pk, beside.pk]).delete()
    raise AssertionError("A hundred coins fell on one side.")


@pytest.mark.parametrize("old_holds_two_facts", [False, True], ids=["superseded", "patched"])
def test_who_replaces_a_turn_holds_nothing_that_others_wait_for(
    space: Space, old_holds_two_facts: bool
) -> None:
    old, beside = talk(space)
    if old_holds_two_facts:
        Memory.objects.filter(pk=old.pk).update(content=f"{TURNS[0]}. User plays the cello")
    source = Source(conversation_id=old.source_conversation)

    def replace() -> None:
        try:
            learn(space, "User moved from Lisbon to Porto", source=source, created_at=NOW)
        finally:
            connection.close()

    replacing = threading.Thread(target=replace)
    rows = Memory.objects.in_space(space)
    with transaction.atomic():  # as mark_used: the neighbour first, then the turn
        rows.select_for_update().get(pk=beside.pk)
        replacing.start()
        while not somebody_waits():
            assert replacing.is_alive()
            time.sleep(0.01)
        rows.select_for_update(nowait=True).get(pk=old.pk)
    replacing.join(30)

    assert not replacing.is_alive()
    assert rows.filter(content__contains="Porto", status="live").count() == 1
