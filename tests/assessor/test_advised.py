"""A worker asks the model what a new memory is to those near it, and holds its lease meanwhile."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox import services
from assessor.tasks import assess
from foundation.actors import SYSTEM
from memory.drafts import MemoryChange, MemoryDraft
from memory.models import BinReason, Memory, MemoryEvent
from memory.reconciliation.rules import Decision, Verdict
from memory.review.services import remember_or_hold
from memory.store.services import prepare_memories, revise_memory
from tests.memory.writing import create_memory
from tests.stub_model import StubModel

pytestmark = pytest.mark.django_db

SAID = "I live in Porto now, near the bridge"
ADVICE = {
    "decision": "supersede",
    "memory": 1,
    "quote": "live in Porto",
    "reasoning": "They live somewhere else",
}
ASSESSED = {"importance": 0.8, "memory_type": "fact", "summary": SAID, "tags": ["home"]}


@pytest.fixture
def model(stub_model: StubModel, settings: Settings) -> StubModel:
    settings.OPENAI_BASE_URL = stub_model.base_url
    settings.EBB_ASSESSOR_MODEL = "stub"
    return stub_model


@pytest.fixture
def lisbon(space: Space) -> Memory:
    draft = MemoryDraft(content="I live in Lisbon, near the river", memory_type="fact")
    return create_memory(space=space, draft=draft, actor=SYSTEM, now=timezone.now())


def worked(space: Space, model: StubModel, *replies: object) -> Assessment:
    """An exchange that a worker has assessed; the model's answers in order."""
    model.script(*[r if isinstance(r, str) else f"reply:{json.dumps(r)}" for r in replies])
    row = services.queue_assessment(space=space, exchange=Exchange(SAID), now=timezone.now())
    assess(space.pk, str(row.pk))
    row.refresh_from_db()
    return row


def test_the_models_decision_is_carried_out_with_its_evidence(
    space: Space, model: StubModel, lisbon: Memory
) -> None:
    row = worked(space, model, ASSESSED, ADVICE)
    assert row.state == State.DONE
    lisbon.refresh_from_db()
    assert (lisbon.status, lisbon.bin_reason) == ("binned", BinReason.SUPERSEDED)
    event = MemoryEvent.objects.in_space(space).get(memory_id=lisbon.pk, action="deleted")
    assert event.reason == "They live somewhere else (“live in Porto”)"
    assert Memory.objects.in_space(space).live().get().content == SAID
    assessing, advising = model.requests
    assert "I live in Lisbon" not in str(assessing.body)
    assert "1. [" in advising.body["messages"][1]["content"]


def test_both_questions_are_counted(
    space: Space, model: StubModel, lisbon: Memory, settings: Settings
) -> None:
    settings.EBB_PRICES = (1_000_000.0, 1_000_000.0)
    advised = worked(space, model, ASSESSED, ADVICE)
    Memory.objects.in_space(space).delete()
    alone = worked(space, model, ASSESSED)
    assert (advised.tokens or 0) > (alone.tokens or 0) > 0
    assert (advised.cost_usd, alone.cost_usd) == (advised.tokens, alone.tokens)


def test_without_close_neighbours_nobody_is_asked(space: Space, model: StubModel) -> None:
    draft = MemoryDraft(content="The user plays the cello", memory_type="fact")
    create_memory(space=space, draft=draft, actor=SYSTEM, now=timezone.now())
    assert worked(space, model, ASSESSED).state == State.DONE
    assert len(model.requests) == 1


def test_the_same_words_are_the_same_memory_whatever_a_model_would_say(
    space: Space, model: StubModel
) -> None:
    addition = {"decision": "add", "memory": None, "quote": "", "reasoning": "new to me"}
    first = worked(space, model, ASSESSED)
    again = worked(space, model, ASSESSED | {"summary": f"{SAID}!"}, addition)
    assert first.memory_id == again.memory_id is not None
    assert Memory.objects.in_space(space).get().content == SAID


def test_without_a_usable_answer_the_rule_decides(
    space: Space, model: StubModel, lisbon: Memory
) -> None:
    row = worked(space, model, ASSESSED, "nonsense")
    assert row.state == State.DONE
    lisbon.refresh_from_db()
    assert (lisbon.status, lisbon.bin_reason) == ("binned", BinReason.SUPERSEDED)
    event = MemoryEvent.objects.in_space(space).get(memory_id=lisbon.pk, action="deleted")
    assert event.reason == f"replaced by: {SAID}"
    alone = worked(space, model, ASSESSED | {"summary": "User plays the cello"})
    assert (row.tokens or 0) > (alone.tokens or 0)  # it was no use, but it was paid for


def test_what_has_changed_since_the_model_saw_it_is_left_to_the_rule(
    space: Space, model: StubModel, lisbon: Memory
) -> None:
    """The advice arrives after somebody corrected the memory that it is about."""
    change = MemoryChange(content="The user's sister lives in Lisbon")
    revise_memory(space=space, memory_id=lisbon.pk, change=change, actor=SYSTEM, now=timezone.now())
    now = timezone.now()
    prepared = prepare_memories(space=space, drafts=[MemoryDraft(content=SAID)], now=now)
    stale = Decision(Verdict.SUPERSEDE, lisbon, "seen before")
    outcome = remember_or_hold(prepared=prepared, actor=SYSTEM, now=now, proposed=stale)
    assert outcome.verdict is Verdict.ADD
    lisbon.refresh_from_db()
    assert lisbon.status == "live"


def test_a_lease_is_renewed_only_by_who_holds_it(space: Space) -> None:
    now = timezone.now()
    row = services.queue_assessment(space=space, exchange=Exchange(SAID), now=now)
    first = services.claim(space_id=space.pk, assessment_id=row.pk, now=now)
    assert first is not None
    later = now + services.LEASE / 2
    services.renew(assessment=first, now=later)
    row.refresh_from_db()
    assert row.leased_until == later + services.LEASE
    much_later = later + services.LEASE + timedelta(seconds=1)
    second = services.claim(space_id=space.pk, assessment_id=row.pk, now=much_later)
    assert second is not None
    services.renew(assessment=first, now=much_later + services.LEASE)
    row.refresh_from_db()
    assert row.leased_until == much_later + services.LEASE
