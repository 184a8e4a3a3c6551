"""Two texts that say the same fact, and two that only resemble each other."""

from datetime import timedelta

import pytest

from memory.consolidation.wording import have_one_subject, same_fact
from memory.models import Memory
from memory.recall.similar import Neighbour
from tests.memory.writing import NOW


def sure(
    one: str, other: str, *, similarity: float = 0.9, days: float = 1, memory_type: str = "fact"
) -> float | None:
    """Return the rule's confidence that both say the same, with vectors that would not prevent
    it."""
    first = Memory(content=one, created_at=NOW, memory_type=memory_type)
    later = NOW + timedelta(days=days)
    second = Memory(content=other, created_at=later, memory_type=memory_type)
    return same_fact(first, Neighbour(second, similarity))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User is allergic to penicillin", "The user has a penicillin allergy"),
        ("User is allergic to penicillin", "Allergic to penicillin"),
        ("User has a dog named Rex", "Rex is the user's dog"),
        ("User's sister Ana lives in Porto", "Ana, the user's sister, lives in Porto"),
        ("User works as a nurse", "The user is a nurse by profession"),
        ("User doesn't eat meat", "The user never eats meat"),
        ("User gets up at 6 each day", "User wakes at 6 daily"),
        ("User plays chess with Omar on Sundays", "Every Sunday the user plays chess with Omar"),
        ("User has two cats", "The user owns 2 cats"),
        ("User is left-handed", "The user is left handed"),
        ("I love sushi", "User really enjoys sushi"),
        ("I'm a nurse", "User works as a nurse"),
        ("用户对青霉素过敏", "用户有青霉素过敏"),
        ("用户养了一只狗叫豆豆", "用户有一只叫豆豆的狗"),
        ("用户在华为工作", "用户就职于华为"),
    ],
)
def test_two_wordings_of_one_fact(one: str, other: str) -> None:
    for confidence in (sure(one, other), sure(other, one)):
        assert confidence is not None
        assert confidence >= 0.9


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User is allergic to penicillin", "User's brother is allergic to penicillin"),
        ("User is allergic to penicillin", "User is not allergic to penicillin"),
        ("User's sister Ana lives in Porto", "User's sister Eva lives in Porto"),
        ("User flew to Lisbon in March 2025", "User flew to Lisbon in October 2025"),
        ("User prefers tea to coffee", "User prefers coffee to tea"),
        ("Ana gave Ben a book", "Ben gave Ana a book"),
        ("User gave him the book", "User gave her the book"),
        ("She likes jazz", "User likes jazz"),
        ("Ana's sister lives in Porto", "User's sister Ana lives in Porto"),
        ("User is afraid of dogs", "User's dog is afraid"),
        ("User's father was a baker", "User's father wanted to be a baker"),
        ("User pays 40 euros", "User pays 45 euros"),
        ("User likes C++", "User likes C#"),
        ("User likes C", "User likes C++"),
        ("User paid $40", "User paid €40"),
        ("???", "!!!?"),
        ("User will move to Porto", "User moved to Porto"),
        ("User lived in Porto", "User lives in Porto"),
        ("User works with Ana", "User works for Ana"),
        ("User likes working with Ana", "User likes working"),
        ("The bank called user on Monday", "User called the bank on Monday"),
        ("银行联系了用户", "用户联系了银行"),
        ("用户会去北京", "用户去了北京"),
        ("User visited Austria with Tom", "User visited Australia with Tom"),
        ("用户对青霉素过敏", "用户的弟弟对青霉素过敏"),
        ("用户借给小明十块钱", "小明借给用户十块钱"),
        ("用户喜欢吃辣", "用户喜欢吃辣椒"),
        ("用户怕狗", "用户的狗怕"),
    ],
)
def test_two_facts_that_resemble_each_other(one: str, other: str) -> None:
    assert sure(one, other, similarity=0.99) is None
    assert sure(other, one, similarity=0.99) is None


def test_equal_texts_are_surest_and_more_words_least_sure() -> None:
    few, more = "User keeps four bees nests in Ulm", "User keeps four wild bees nests in Ulm"

    assert sure(few, f"{few}.") == 1.0
    equal, longer = sure(few, more, similarity=0.7), sure(few, more)

    assert equal is None
    assert longer is not None
    assert longer < 0.9


def test_different_words_need_similar_vectors_as_well() -> None:
    assert sure("User loves sushi", "User enjoys sushi", similarity=0.3) is None


@pytest.mark.parametrize("text", ["User went to the dentist", "用户去了牙医那里"])
def test_what_happened_on_two_days_happened_twice(text: str) -> None:
    assert sure(text, text, days=1) == 1.0
    assert sure(text, text, days=30) is None
    assert sure("User likes jazz", "User likes jazz", days=30) == 1.0
    assert sure("The concert of Ana", "The concert of Ana", days=30, memory_type="event") is None


def test_a_long_text_has_several_facts() -> None:
    long = "User likes jazz. " * 30

    assert sure(long, long) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("User's flatmate smokes", "User quit smoking", False),
        ("User smokes", "I quit smoking", True),
        ("My older sister is single", "User's sister got engaged", True),
        ("User's rent is 900 euros", "Rent is 980 euros", True),
        # A name may be anybody's.
        ("User has a dog named Rex", "Rex died", True),
        ("用户的室友抽烟", "用户戒烟了", False),
        ("用户抽烟", "用户戒烟了", True),
        ("我妹妹单身", "用户的妹妹订婚了", True),
        ("小明抽烟", "用户戒烟了", True),
    ],
)
def test_whose_fact_it_is(one: str, other: str, same: bool) -> None:
    assert have_one_subject(one, other) is same
    assert have_one_subject(other, one) is same
