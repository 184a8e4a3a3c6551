"""A memory goes by a later judgement of its exchange, unless a person is at it this moment."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction

from assessor import services
from assessor.judging import Exchange
from assessor.models import Assessment, State
from memory.drafts import MemoryChange
from memory.models import Memory, Space
from memory.store.services import revise_memory
from tests.assessor.outbox import NOW, SECOND, claim, judgement
from tests.locks import somebody_waits
from tests.memory.writing import ALICE
from tests.processes import wait_until


@pytest.mark.django_db(transaction=True)
def test_what_is_pinned_at_the_very_moment_stays(space: Space, queue: str) -> None:
    said = Exchange("I moved to Lisbon in March")
    row = services.store_judged(space=space, exchange=said, judgement=judgement(), now=NOW)
    memory = Memory.objects.in_space(space).get()
    Assessment.objects.filter(pk=row.pk).update(state=State.QUEUED, attempts=0, due_at=NOW)
    again = claim(row, NOW + SECOND)
    assert again is not None

    def judge_as_worthless() -> None:
        services.finish(assessment=again, judgement=judgement(0.0), now=NOW + timedelta(minutes=1))
        connection.close()

    judging = threading.Thread(target=judge_as_worthless)
    with transaction.atomic():
        change = MemoryChange(pinned=True)
        revise_memory(space=space, memory_id=memory.pk, change=change, actor=ALICE, now=NOW)
        judging.start()
        wait_until(somebody_waits)
    judging.join(30)
    memory.refresh_from_db()
    row.refresh_from_db()
    assert (row.state, row.importance) == (State.IGNORED, 0.0)
    assert (memory.status, memory.pinned) == ("live", True)
