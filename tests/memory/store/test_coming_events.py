"""A memory of a coming event is kept until the event is over, whatever its importance."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import Space
from memory.drafts import MemoryChange
from memory.policies.services import change_policy
from memory.store.services import revise_memory
from memory.store.uses import mark_used
from tests.memory.writing import ALICE, NOW, remember, stored

pytestmark = pytest.mark.django_db
DENTIST = "User sees the dentist on 3 June"
AFTER_IT = datetime(2026, 6, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("content", "importance", "expires_at"),
    [
        (DENTIST, 0.6, AFTER_IT),
        (DENTIST, 0.2, AFTER_IT),
        (DENTIST, 0.8, None),
        ("User sees the dentist on Friday", 0.6, NOW + timedelta(days=30)),
        ("User saw the dentist on 3 June", 0.6, NOW + timedelta(days=30)),
        ("用户六月三号去看牙医", 0.6, AFTER_IT),
    ],
)
def test_it_is_kept_until_the_event_is_over(
    space: Space, content: str, importance: float, expires_at: datetime | None
) -> None:
    assert remember(space, content, importance=importance).expires_at == expires_at


def test_an_edit_of_the_day_moves_the_expiry(space: Space) -> None:
    memory = remember(space, DENTIST, importance=0.6)
    change = MemoryChange(content="User sees the dentist on 10 July")
    revise_memory(space=space, memory_id=memory.pk, change=change, actor=ALICE, now=NOW)
    assert stored(memory).expires_at == datetime(2026, 7, 12, tzinfo=UTC)


def test_neither_a_use_nor_a_policy_shortens_it(space: Space) -> None:
    memory = remember(space, DENTIST, importance=0.6)
    later = NOW + timedelta(days=1)
    ids = [memory.pk]
    mark_used(space=space, memory_ids=ids, supporting=ids, actor=ALICE, now=later, reason="asked")
    assert stored(memory).expires_at == AFTER_IT
    change_policy(space=space, changes={"ttl": {"medium_days": 2}}, actor=ALICE, now=later)
    assert stored(memory).expires_at == AFTER_IT
