"""Memories the assessor is unsure of, or that contradict others, wait if the policy says so."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space, User
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox import services
from assessor.tasks import assess
from memory.drafts import MemoryChange
from memory.models import BinReason, Memory, MemoryEvent, Status
from memory.models.reasons import CONFLICT, UNSURE, kind_of, quote_of
from memory.review.services import approve_memory, reject_memory, reopen_memories
from memory.store.services import revise_memory
from tests.assessor.outbox import NOW, SECOND, assessment_result, claimed
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import ALICE, actions, remember, set_policy, stored
from tests.stub_model import StubModel

pytestmark = pytest.mark.django_db

SAID = "Guess what. I live in Porto now, near the bridge. How are you?"
STORE = {"store": True}
SUMMARY = "User lives in Porto now, near the bridge"
ASSESSED = {"importance": 0.8, "memory_type": "fact", "summary": SUMMARY, "tags": ["home"]}
ADVICE = {
    "decision": "supersede",
    "memory": 1,
    "quote": "lives in Porto now",
    "reasoning": "They live somewhere else",
}


@pytest.fixture
def lisbon(space: Space) -> Memory:
    return remember(space, "User lives in Lisbon, near the river", memory_type="fact")


@pytest.fixture
def model(space: Space, stub_model: StubModel, settings: Settings) -> StubModel:
    set_policy(space, assessment={"rubric": "graded"})  # facts have no confidence
    settings.OPENAI_BASE_URL = stub_model.base_url
    settings.EBB_ASSESSOR_MODEL = "stub"
    return stub_model


def worked(space: Space, model: StubModel, *replies: object, said: str = SAID) -> Memory:
    """The memory of an exchange that a worker has assessed; the model's answers in order."""
    model.script(*[f"reply:{json.dumps(reply)}" for reply in replies])
    row = services.queue_assessment(space=space, exchange=Exchange(said), now=timezone.now())
    assess(space.pk, str(row.pk))
    row.refresh_from_db()
    assert row.state == State.DONE, row.error
    assert row.memory is not None
    return row.memory


def finished(space: Space, confidence: float | None) -> Memory:
    [memory] = services.finish(
        assessment=claimed(space), result=assessment_result(confidence=confidence), now=NOW
    )
    assert memory is not None
    return memory


def test_by_default_nothing_waits_and_no_model_is_asked_how_sure_it_is(
    space: Space, model: StubModel, lisbon: Memory
) -> None:
    memory = worked(space, model, ASSESSED | {"confidence": 0.01}, ADVICE)

    assert memory.status == Status.LIVE
    assert stored(lisbon).bin_reason == BinReason.SUPERSEDED
    asked = json.dumps(model.requests[0].body)
    assert "confidence" not in asked.lower()
    assert Assessment.objects.get().prompt_version == "graded-1"


@pytest.mark.parametrize(
    ("bound", "confidence", "status"),
    [
        (0.5, 0.49, Status.REVIEW), (0.5, 0.5, Status.LIVE), (0.5, None, Status.LIVE),
        (0, 0.0, Status.LIVE), (1, 0.99, Status.REVIEW),
    ],
)  # fmt: skip
def test_below_the_bound_it_waits(
    space: Space, bound: float, confidence: float | None, status: Status
) -> None:
    set_policy(space, assessment={"review_below_confidence": bound})
    assert finished(space, confidence).status == status


@pytest.mark.parametrize("rubric", ["graded", "facets"])
def test_a_model_is_asked_how_sure_it_is_and_its_words_are_the_evidence(
    space: Space, model: StubModel, lisbon: Memory, rubric: str
) -> None:
    set_policy(space, assessment={"review_below_confidence": 0.5, "rubric": rubric})
    facets = {"P": 0.9, "valence": 0, "intensity": 0, "I": 0.5, "J": 0.8}
    assessed = ASSESSED | facets | {"confidence": "40%"}
    memory = worked(space, model, assessed, ADVICE)

    request = model.requests[0].body
    assert "CONFIDENCE, 0 to 1" in request["messages"][0]["content"]
    assert "confidence" in request["response_format"]["json_schema"]["schema"]["required"]
    row = Assessment.objects.get()
    assert (row.confidence, row.prompt_version) == (0.4, f"{rubric}-1+confidence")
    assert (memory.status, kind_of(memory.review_reason)) == (Status.REVIEW, UNSURE)
    assert quote_of(memory.review_reason) == "I live in Porto now, near the bridge."
    assert stored(lisbon).status == Status.LIVE

    approve_memory(space=space, memory_id=memory.pk, actor=ALICE, now=timezone.now())
    # What the model had said it was.
    assert stored(memory).status == Status.LIVE
    assert stored(lisbon).bin_reason == BinReason.SUPERSEDED


def test_the_built_in_assessor_says_how_sure_it_is(space: Space, key: MakeKey) -> None:
    set_policy(space, assessment={"review_below_confidence": 0.7})
    caller = ApiClient(key())
    clear = caller.post("assess", {"user_message": "My name is Ana and I am a nurse."} | STORE)
    vague = caller.post("assess", {"user_message": "we had soup again, nothing special"} | STORE)
    assert clear.json()["assessment"]["confidence"] > 0.7
    assert clear.json()["memory"]["status"] == "live"
    assert vague.json()["assessment"]["confidence"] < 0.7
    assert vague.json()["memory"]["status"] == "review"


def test_a_contradiction_waits_with_what_would_change_until_somebody_approves(
    space: Space, model: StubModel, lisbon: Memory, alice: User, key: MakeKey
) -> None:
    set_policy(space, assessment={"hold_conflicts": True, "rubric": "graded"})
    memory = worked(space, model, ASSESSED, ADVICE)

    assert (memory.status, kind_of(memory.review_reason)) == (Status.REVIEW, CONFLICT)
    assert stored(lisbon).status == Status.LIVE
    [item] = ApiClient(key()).get("review").json()["items"]
    assert item["review_proposal"] == {
        "verdict": "supersede",
        "memory_id": str(lisbon.pk),
        "reason": "They live somewhere else (“lives in Porto now”)",
    }
    browser = Client()
    browser.force_login(alice)
    near = browser.get(reverse("review_near", args=["home", memory.pk])).text
    assert "Approving moves it to the bin" in near
    assert "They live somewhere else" in near
    assert "<del>Lisbon</del>" in near

    then = timezone.now()
    approve_memory(space=space, memory_id=memory.pk, actor=ALICE, now=then)
    assert stored(lisbon).bin_reason == BinReason.SUPERSEDED
    reopen_memories(space=space, memory_ids=[memory.pk], actor=ALICE, now=then + SECOND)
    assert (stored(lisbon).status, stored(memory).status) == (Status.LIVE, Status.REVIEW)
    approve_memory(space=space, memory_id=memory.pk, actor=ALICE, now=then + 2 * SECOND)
    assert stored(lisbon).status == Status.BINNED


def test_the_rule_finds_contradictions_too_and_a_restatement_is_none(space: Space) -> None:
    set_policy(space, assessment={"hold_conflicts": True, "rubric": "graded", "provider": "local"})
    lisbon = remember(space, "I live in Lisbon", memory_type="fact")
    for said in ("I live in Lisbon", "I moved from Lisbon to Porto"):
        row = services.queue_assessment(space=space, exchange=Exchange(said), now=timezone.now())
        assess(space.pk, str(row.pk))
    [held] = Memory.objects.in_space(space).in_review()
    assert held.review_reason == f"{CONFLICT}: “I moved from Lisbon to Porto”"
    assert "reinforced" in actions(lisbon)


def test_a_proposal_is_about_what_was_known_then(
    space: Space, model: StubModel, lisbon: Memory
) -> None:
    set_policy(space, assessment={"hold_conflicts": True, "rubric": "graded"})
    memory = worked(space, model, ASSESSED, ADVICE)
    change = MemoryChange(content="User has a boat in Lisbon")
    revise_memory(space=space, memory_id=lisbon.pk, change=change, actor=ALICE, now=timezone.now())

    approve_memory(space=space, memory_id=memory.pk, actor=ALICE, now=timezone.now())

    assert stored(memory).status == stored(lisbon).status == Status.LIVE


def test_what_was_rejected_is_not_proposed_again_and_a_decision_can_hold_from_then_on(
    space: Space, model: StubModel, lisbon: Memory
) -> None:
    set_policy(space, assessment={"hold_conflicts": True, "rubric": "graded"})
    memory = worked(space, model, ASSESSED, ADVICE)
    reject_memory(space=space, memory_id=memory.pk, actor=ALICE, now=timezone.now())

    again = worked(space, model, ASSESSED, ADVICE, said=f"As I said: {SAID}")
    assert again == memory
    assert (
        MemoryEvent.objects.filter(memory_id=memory.pk)
        .latest("id")
        .reason.startswith("proposed again")
    )
    assert stored(lisbon).status == Status.LIVE


def test_a_tool_does_not_replace_what_is_known_without_a_person(space: Space, key: MakeKey) -> None:
    set_policy(space, assessment={"hold_conflicts": True, "rubric": "graded"})
    lisbon = remember(space, "I live in Lisbon", memory_type="fact")
    answer = ApiClient(key()).post("tools/remember", {"content": "I moved from Lisbon to Porto"})
    assert "Sent to review" in answer.json()["text"]
    assert stored(lisbon).status == Status.LIVE
