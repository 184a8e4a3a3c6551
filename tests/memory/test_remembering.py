"""A statement meets what is known, through the service and the API, against the real embedder."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.utils import timezone

from memory.actors import SYSTEM
from memory.drafts import MemoryDraft
from memory.models import BinReason, Memory, MemoryEvent, MemoryRevision, Space
from memory.services.reconciliation import remember_draft


def say(space: Space, content: str, **more: object) -> Memory:
    draft = MemoryDraft.model_validate({"content": content, "memory_type": "fact", **more})
    return remember_draft(space=space, draft=draft, actor=SYSTEM, now=timezone.now())


@pytest.mark.django_db
def test_restatement_raises_the_old_memory_and_renews_it(space: Space) -> None:
    first = say(space, "I'm allergic to penicillin", importance=0.6)
    again = say(space, "I am allergic to penicillin!", importance=0.5)
    assert again.pk == first.pk
    assert again.importance == pytest.approx(0.6 + 0.1 * 0.4)
    assert again.expires_at is not None
    assert first.expires_at is not None
    assert again.expires_at > first.expires_at
    assert Memory.objects.in_space(space).count() == 1
    events = MemoryEvent.objects.filter(space=space).order_by("id")
    assert list(events.values_list("action", flat=True)) == ["created", "reinforced"]


@pytest.mark.django_db
def test_ordinary_memory_is_superseded_with_the_reason(space: Space) -> None:
    old = say(space, "I moved to Lisbon in March")
    new = say(space, "I moved from Lisbon to Porto")
    old.refresh_from_db()
    assert (old.status, old.bin_reason) == ("binned", BinReason.SUPERSEDED)
    assert new.status == "live"
    event = MemoryEvent.objects.get(space=space, memory_id=old.pk, action="deleted")
    assert event.reason == "replaced by: I moved from Lisbon to Porto"


@pytest.mark.django_db
def test_core_memory_is_patched_and_keeps_what_it_said(space: Space) -> None:
    """Seed 003, 2.1: 冲突由 AI 处理（修改旧记忆内容、加括号补丁，以用户最新为准）."""
    old = say(space, "I eat meat every day", facets={"P": 1.0, "J": 0.5})
    new = say(space, "I no longer eat meat", importance=0.9)
    assert new.pk == old.pk
    day = f"{timezone.now():%Y-%m-%d}"
    assert new.content == f"I eat meat every day [{day}: I no longer eat meat]"
    assert new.core
    revision = MemoryRevision.objects.get(space=space, memory=old)
    assert revision.content == "I eat meat every day"
    assert revision.reason == "replaced by: I no longer eat meat"


@pytest.mark.django_db
def test_another_space_is_no_neighbour(space: Space, other_space: Space) -> None:
    say(other_space, "I'm allergic to penicillin")
    say(space, "I'm allergic to penicillin")
    assert Memory.objects.in_space(space).count() == 1
    assert Memory.objects.in_space(other_space).count() == 1


@pytest.mark.django_db(transaction=True)
def test_same_statement_at_once_is_one_memory(space: Space) -> None:
    def speak(_: int) -> None:
        try:
            say(space, "I'm allergic to penicillin")
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(speak, range(8)))
    assert Memory.objects.in_space(space).count() == 1
    assert MemoryEvent.objects.filter(space=space, action="reinforced").count() == 7
