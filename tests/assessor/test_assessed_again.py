"""A memory goes by a later assessment of its exchange, unless a person is at it this moment."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox import services
from memory.drafts import MemoryChange
from memory.models import Memory
from memory.store.services import revise_memory
from tests.assessor.outbox import NOW, SECOND, assessment_result, claim
from tests.locks import somebody_waits
from tests.memory.writing import ALICE
from tests.processes import wait_until


@pytest.mark.django_db(transaction=True)
def test_what_is_pinned_at_the_very_moment_stays(space: Space, queue: str) -> None:
    said = Exchange("I moved to Lisbon in March")
    row = services.store_assessed(space=space, exchange=said, result=assessment_result(), now=NOW)
    memory = Memory.objects.in_space(space).get()
    Assessment.objects.filter(pk=row.pk).update(state=State.QUEUED, attempts=0, due_at=NOW)
    again = claim(row, NOW + SECOND)
    assert again is not None

    def assess_as_worthless() -> None:
        services.finish(
            assessment=again, result=assessment_result(0.0), now=NOW + timedelta(minutes=1)
        )
        connection.close()

    assessing = threading.Thread(target=assess_as_worthless)
    with transaction.atomic():
        change = MemoryChange(pinned=True)
        revise_memory(space=space, memory_id=memory.pk, change=change, actor=ALICE, now=NOW)
        assessing.start()
        wait_until(somebody_waits)
    assessing.join(30)
    memory.refresh_from_db()
    row.refresh_from_db()
    assert (row.state, row.importance) == (State.IGNORED, 0.0)
    assert (memory.status, memory.pinned) == ("live", True)
