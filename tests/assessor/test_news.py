"""News about known persons, pets and things are kept, however unimportant they are alone."""

import pytest

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox import services
from assessor.outbox.retractions import retract
from memory.models import Memory
from memory.text.event_dates import with_days
from tests.assessor.outbox import NOW, SECOND, again, assessment_result, claim
from tests.memory.writing import ALICE, learn, stored

pytestmark = pytest.mark.django_db

DOG = "My dog is called Rufus"


def told(space: Space, said: str, importance: float) -> Assessment:
    """The exchange after its assessment."""
    result = assessment_result(importance, summary=said)
    return services.store_assessed(space=space, exchange=Exchange(said), result=result, now=NOW)


def assess_again(space: Space, row: Assessment, importance: float) -> Assessment:
    Assessment.objects.in_space(space).filter(pk=row.pk).update(
        state=State.QUEUED, attempts=0, due_at=NOW
    )
    taken = claim(row, NOW + SECOND)
    assert taken is not None
    result = assessment_result(importance, summary=row.summary)
    services.finish(assessment=taken, result=result, now=NOW + SECOND)
    return again(row)


@pytest.mark.parametrize("importance", [0.3, 0.0])
def test_news_assessed_again_keep_what_they_inherited(space: Space, importance: float) -> None:
    old = learn(space, DOG, importance=0.75)
    row = told(space, "My dog Rufus died yesterday.", 0.25)
    assert assess_again(space, row, importance).state == State.DONE
    [news] = Memory.objects.in_space(space).live()
    assert (news.importance, news.expires_at) == (0.75, None)
    assert stored(old).superseded_by == news.pk


def test_news_in_brackets_assessed_again_stay(space: Space) -> None:
    old = learn(space, DOG, importance=0.75)
    row = told(space, "Rufus died.", 0.25)
    assess_again(space, row, 0.3)
    [kept] = Memory.objects.in_space(space).live()
    assert (kept.pk, kept.importance) == (old.pk, 0.75)
    assert kept.content == f"{DOG} [{NOW:%Y-%m-%d}: Rufus died.]"


def test_an_edited_message_takes_its_news_back(space: Space) -> None:
    old = learn(space, DOG, importance=0.75)
    row = told(space, "My dog Rufus died yesterday.", 0.25)
    retract(space=space, assessment_ids=[row.pk], written_ids=[], actor=ALICE, now=NOW)
    assert [one.pk for one in Memory.objects.in_space(space).live()] == [old.pk]


@pytest.mark.parametrize(
    ("known", "news"),
    [
        ("My cat is called Miro", "Miro died this morning."),
        ("My grandmother Olga lives in Kyiv", "Olga passed away."),
        ("My brother Tim is a pilot", "Tim died."),
        ("我奶奶叫秀英", "秀英去世了。"),
    ],
)
def test_unimportant_news_are_kept(space: Space, known: str, news: str) -> None:
    learn(space, known, importance=0.75)
    row = told(space, news, 0.1)
    assert (row.state, row.importance) == (State.DONE, 0.1)
    [kept] = Memory.objects.in_space(space).live()
    assert kept.content == f"{known} [{NOW:%Y-%m-%d}: {with_days(news, NOW)}]"
    assert (kept.importance, kept.expires_at) == (0.75, None)


@pytest.mark.parametrize("news", ["Miro ran away.", "Miro has gone missing", "米罗跑丢了"])
def test_a_pet_that_may_return_stays_known(space: Space, news: str) -> None:
    known = "我有一只狗叫米罗" if news.startswith("米") else "I have a dog named Miro"
    old = learn(space, known, importance=0.75)
    told(space, news, 0.1)
    assert stored(old).content == f"{known} [{NOW:%Y-%m-%d}: {news}]"


@pytest.mark.parametrize("said", ["I ran away from home", "Bella ran away.", "My dog ran away"])
def test_who_else_ran_away_changes_nothing(space: Space, said: str) -> None:
    old = learn(space, "My dog is called Miro", importance=0.75)
    told(space, said, 0.6)
    assert (stored(old).content, stored(old).status) == ("My dog is called Miro", "live")


def test_news_that_say_who_died_supersede(space: Space) -> None:
    old = learn(space, "My grandmother Olga lives in Kyiv", importance=0.75)
    told(space, "My grandmother Olga died.", 0.1)
    [kept] = Memory.objects.in_space(space).live()
    assert (kept.content, stored(old).superseded_by) == ("My grandmother Olga died.", kept.pk)


def test_news_are_added_in_brackets_to_several_facts(space: Space) -> None:
    old = learn(space, "My cat Miro is three. My flat is in Porto", importance=0.75)
    told(space, "Miro died this morning.", 0.1)
    assert stored(old).content.endswith(": Miro died this morning (18 February 2026).]")


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("My cat is called Miro", "Thanks!"),
        ("My cat is called Miro", "Did Miro die this morning?"),
        ("My cat is called Miro", "Miro is so funny today"),
        ("My cat is called Miro", "Anna died."),
        ("My cat is called Miro", "Forget that my cat is called Miro"),
        ("My brother Tim is a pilot", "Tim is tired."),
        ("I'm on TikTok", "That's gone now"),
        ("I smoke", "not now"),
        ("我的猫叫米罗", "米罗死了吗？"),
        ("我的猫叫米罗", "没事了，谢谢"),
    ],
)
def test_what_changes_no_memory_is_not_kept(space: Space, known: str, said: str) -> None:
    old = learn(space, known, importance=0.75)
    assert told(space, said, 0.1).state == State.IGNORED
    assert list(Memory.objects.in_space(space)) == [stored(old)]
