"""A memory is kept at least as long as the one that it superseded would have been."""

import pytest

from accounts.models import Space
from memory.drafts import Facets
from memory.models import MemoryEvent
from memory.models.policies import current_policy
from memory.reconciliation.rules import Decision, Verdict
from memory.reconciliation.succession import note_succession
from memory.review.services import approve_memory, reopen_memories
from tests.memory.writing import ALICE, NOW, hold, learn, remember, stored

pytestmark = pytest.mark.django_db

LASTING = Facets(P=0.5, J=0.5)
MOMENTARY = Facets(P=0.1, J=1.0, E=1.0)


@pytest.mark.parametrize(
    ("known", "news"),
    [
        ("My dog is called Rufus", "My dog Rufus died yesterday."),
        ("我奶奶叫秀英", "我奶奶去世了。"),
    ],
)
def test_news_are_kept_as_long_as_what_they_supersede(space: Space, known: str, news: str) -> None:
    old = learn(space, known, importance=0.75)
    new = learn(space, news, importance=0.205)
    assert stored(old).superseded_by == new.pk
    assert (new.importance, new.expires_at) == (0.75, None)
    assert stored(new).importance == 0.75
    told = MemoryEvent.objects.in_space(space).filter(memory_id=new.pk).order_by("id")
    assert [(event.importance, event.reason_argument) for event in told] == [
        (0.205, ""),
        (0.75, known),
    ]
    gone = MemoryEvent.objects.in_space(space).get(memory_id=old.pk, action="deleted")
    assert {event.action_id for event in told} == {gone.action_id}


@pytest.mark.parametrize(
    ("known", "correction"),
    [
        ("My kids: Anna (12), Ben (9)", "Ben turned 10 today (18 February 2026)"),
        ("My dog is called Bella", "actually no, Bella is a cat"),
        ("我儿子九岁", "我儿子上个月十岁了"),
        ("Meine Tochter Lotte ist 9", "Lotte ist heute 10 geworden"),
    ],
)
def test_a_possible_correction_is_kept_as_long_as_what_it_may_correct(
    space: Space, known: str, correction: str
) -> None:
    old = learn(space, known, importance=0.75)
    new = learn(space, correction, importance=0.4)
    assert (stored(old).status, correction in new.content, new.expires_at) == ("live", True, None)


def test_a_correction_is_kept_until_the_event_that_it_may_cancel(space: Space) -> None:
    exam = learn(space, "My driving exam is on 3 May 2027", importance=0.4)
    new = remember(space, "It will not take place after all", importance=0.4)
    before, decision = new.expires_at, Decision(Verdict.ADD, heir_of=exam)
    note_succession(decision, new, actor=ALICE, policy=current_policy(space), now=NOW)
    assert stored(new).expires_at == stored(exam).expires_at != before


def test_news_that_correct_nothing_inherit_nothing(space: Space) -> None:
    learn(space, "My kids: Anna (12), Ben (9)", importance=0.75)
    assert learn(space, "Ben has a football match tomorrow", importance=0.4).expires_at is not None


def test_more_important_news_inherit_nothing(space: Space) -> None:
    learn(space, "My dog is called Rufus", importance=0.5)
    new = learn(space, "My dog Rufus died yesterday.", importance=0.6)
    assert (new.importance, new.revision) == (0.6, 1)


def test_by_facets_the_longer_lifetime_is_inherited(space: Space) -> None:
    old = learn(space, "My dog is called Rufus", facets=LASTING)
    new = learn(space, "My dog Rufus died yesterday.", facets=MOMENTARY)
    assert new.facets == LASTING.stored()
    assert new.importance == max(LASTING.importance, MOMENTARY.importance)
    assert new.expires_at == old.expires_at


def test_several_facts_live_no_shorter_with_news_in_brackets(space: Space) -> None:
    old = learn(space, "My cat Miro is three. My flat is in Porto", facets=LASTING)
    new = learn(space, "Miro died this morning.", facets=MOMENTARY)
    assert (new.pk, "Miro died" in new.content) == (old.pk, True)
    assert new.facets == LASTING.stored()
    assert old.expires_at is not None
    assert new.expires_at is not None
    assert new.expires_at >= old.expires_at


def test_without_facets_a_lasting_memory_makes_the_successor_last(space: Space) -> None:
    learn(space, "My dog is called Rufus", importance=0.75)
    new = learn(space, "My dog Rufus died yesterday.", facets=MOMENTARY)
    assert (new.importance, new.facets, new.expires_at) == (0.75, None, None)


def test_an_approved_statement_inherits_until_the_approval_is_undone(space: Space) -> None:
    old = learn(space, "My dog is called Rufus", importance=0.75)
    held = hold(space, "My dog Rufus died yesterday.", importance=0.2)
    approved = approve_memory(space=space, memory_id=held.pk, actor=ALICE, now=NOW)
    assert (approved.importance, stored(held).expires_at) == (0.75, None)
    reopen_memories(space=space, memory_ids=[held.pk], actor=ALICE, now=NOW)
    assert (stored(old).status, stored(held).importance) == ("live", 0.2)
