"""News about known persons, pets and things are kept, however unimportant they are alone."""

import pytest

from assessor import services
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.retractions import retract
from memory.models import Memory, Space
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
    row = told(space, "Rufus died yesterday.", 0.25)
    assert assess_again(space, row, importance).state == State.DONE
    [news] = Memory.objects.in_space(space).live()
    assert (news.importance, news.expires_at) == (0.75, None)
    assert stored(old).superseded_by == news.pk


def test_an_edited_message_takes_its_news_back(space: Space) -> None:
    old = learn(space, DOG, importance=0.75)
    row = told(space, "Rufus died yesterday.", 0.25)
    retract(space=space, assessment_ids=[row.pk], written_ids=[], actor=ALICE, now=NOW)
    assert [one.pk for one in Memory.objects.in_space(space).live()] == [old.pk]
