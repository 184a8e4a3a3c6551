"""The user's own facts and those of others, in questions about either; with the real embedder.

A line of the files is `attribute|person|memory` or, after "?", `attribute|person|question`. The
right answer is the memory of this attribute and person, above those of other persons.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from accounts.models import Space
from memory.drafts import MemoryDraft
from memory.embeddings.vectors import embed
from memory.formulas.ranking import OTHERS_SHARE, PROFILES
from memory.models import Memory
from memory.policy import PolicyDocument
from memory.recall.recall import SearchRequest, recall
from memory.recall.sql import OTHERS, Question, Shape, recalled
from memory.recall.sql.whose import tells_of_others as tells_in_sql
from memory.spaces.services import create_space
from memory.store.services import create_memories
from memory.text.whose import Others, others_than_asked, tells_of_others
from tests.memory.writing import ALICE, NOW, remember

HERE = Path(__file__).parent


class Line(NamedTuple):
    """An attribute, a person, and a memory or a question about both."""

    attribute: str
    person: str
    text: str


class People(NamedTuple):
    """The memories of one space, and the questions."""

    memories: list[Line]
    questions: list[Line]


def people(name: str) -> Iterator[People]:
    for block in (HERE / f"{name}.txt").read_text("utf-8").split("# ")[1:]:
        lines = [line.split("|") for line in block.splitlines()[1:]]
        told = [Line(*line) for line in lines if not line[0].startswith("?")]
        asked = [Line(line[0][1:], *line[1:]) for line in lines if line[0].startswith("?")]
        yield People(told, asked)


MEMORIES = [line for name in ("whose", "whose_held") for one in people(name) for line in one[0]]
SHARED = {"boss", "doctor"}  # their facts are often the user's own: "My company is in Porto"


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("Where do I live?", "people and pets"),
        ("Tell me where I live.", "people and pets"),
        ("Where does the user live?", "people and pets"),
        ("my birthday", "people and pets"),
        ("我住在哪里？", "people and pets"),
        ("我的生日", "people and pets"),
        ("What is my dog called?", "people"),
        ("我的猫叫什么？", "people"),
        ("Where does my sister live?", ""),
        ("What's my brother-in-law's job?", ""),
        ("How old are my children?", ""),
        ("我妹妹住在哪里？", ""),
        ("Who is my doctor?", ""),
        ("Who am I married to?", ""),
        ("What should I cook?", ""),
        ("Do I have plans for Friday?", ""),
        ("When did I meet Ana?", ""),
        ("Which bird do I have?", ""),
        ("我该吃什么？", ""),
        ("我买了新车。", ""),
        ("Where does Ana live?", ""),
        ("I live in Porto", ""),
        ("I fixed my bike today.", ""),
        ("What is my name? " + "I walked along the river. " * 10, ""),
    ],
)
def test_the_words_say_whether_a_question_asks_for_the_users_own_fact(
    question: str, others: Others
) -> None:
    assert others_than_asked(question) == others


@pytest.mark.parametrize(
    ("content", "others", "wanted"),
    [
        ("User's sister Ana lives in Porto", "people", True),
        ("My best friend lives in Porto", "people", True),
        ("Our neighbour's car is red", "people", True),
        ("用户的好朋友住在波尔图", "people", True),
        ("My dog, Figo, is three", "people and pets", True),
        ("My dog, Figo, is three", "people", False),
        ("用户家的猫叫年糕", "people and pets", True),
        ("User lives in Porto", "people", False),
        ("User moved in with a sister", "people", False),
        ("My sister and I live in Porto", "people", False),
        ("My sister taught me to swim", "people", False),
        ("User's mother tongue is Polish", "people", False),
        ("我妹妹和我住在波尔图", "people", False),
        ("我对猫过敏", "people and pets", False),
        ("Ana lives in Porto", "people", False),
        ("", "people", False),
    ],
)
def test_a_memory_tells_of_somebody_else(content: str, others: Others, wanted: bool) -> None:
    assert tells_of_others(content, others) is wanted


def test_the_memories_of_the_files_are_told_apart() -> None:
    own = {"me", "note", "note2"} | SHARED
    for line in MEMORIES:
        assert tells_of_others(line.text, "people and pets") is (line.person not in own), line


@pytest.mark.django_db
@pytest.mark.parametrize("others", ["people", "people and pets"])
def test_the_database_tells_the_same_memories_apart(space: Space, others: Others) -> None:
    texts = [line.text for line in MEMORIES]
    texts += [
        "My sister",
        "My  sister lives",
        "My sister, he said: 'I, too'",
        "The dog's bowl",
        "我",
    ]
    texts += [f"User's sister {'x' * 180} likes us", "我", f"User's sister {'x' * 200} likes us"]
    remember_all(space, texts)
    told = Memory.objects.in_space(space).annotate(told=tells_in_sql(others))
    rows = list(told.values_list("content", "told"))
    assert {text for text, _ in rows} == set(texts)
    for content, value in rows:
        assert value == float(tells_of_others(content, others)), content


def remember_all(space: Space, texts: Sequence[str]) -> list[Memory]:
    drafts = [MemoryDraft(content=text) for text in texts]
    stored = create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)
    space.refresh_from_db()  # its first memories may have chosen another model
    return list(stored)


def answered(space: Space, given: People) -> list[bool]:
    """The answers to the questions: true if the right memory of its attribute comes first."""
    memories = remember_all(space, [line.text for line in given.memories])
    told = {memory.pk: line for memory, line in zip(memories, given.memories, strict=True)}
    right = []
    for asked in given.questions:
        found = recall(space, SearchRequest(asked.text, limit=len(memories)), now=NOW)
        lines = [told[result.memory.pk] for result in found.results]
        first = next(line for line in lines if line.attribute == asked.attribute)
        right.append(first.person == asked.person)
    return right


@pytest.mark.django_db(transaction=True)  # a Chinese space builds the index of its model
@pytest.mark.parametrize(("name", "least"), [("whose", 0.97), ("whose_held", 0.93)])
def test_the_fact_of_the_person_asked_about_comes_first(
    name: str, least: float, space: Space
) -> None:
    right: list[bool] = []
    for number, given in enumerate(people(name)):
        slug, embedder = f"people-{number}", space.embedder
        own = create_space(slug=slug, name=slug, embedder=embedder, actor=ALICE)
        right += answered(own, given)
    assert len(right) >= 60
    assert sum(right) / len(right) >= least


@pytest.mark.django_db
def test_the_cost_is_a_part_of_the_score_and_of_the_relevance(space: Space) -> None:
    own = remember(space, "I moved to Porto in May 2026")
    other = remember(space, "User's sister Ana lives in Porto")

    found = recall(space, SearchRequest("Where do I live?", explain=True), now=NOW)
    first, second = found.results
    assert (first.memory, second.memory) == (own, other)
    assert "others" not in first.contributions
    parts = dict(second.contributions)
    assert parts.pop("others") == pytest.approx(-OTHERS_SHARE * sum(parts.values()))
    assert sum(second.contributions.values()) == pytest.approx(second.score)
    assert second.rank_without["lexical"] == 2
    assert second.relevance < first.relevance

    found = recall(space, SearchRequest("Where do I live?", profile="relevance"), now=NOW)
    assert all("others" not in result.contributions for result in found.results)


@pytest.mark.django_db
@pytest.mark.parametrize("question", ["Where does my sister live?", "Where does Ana live?"])
def test_a_question_about_the_sister_finds_hers(space: Space, question: str) -> None:
    remember(space, "I moved to Porto in May 2026")
    hers = remember(space, "User's sister Ana lives in Porto")

    found = recall(space, SearchRequest(question), now=NOW)
    assert found.results[0].memory == hers
    assert "others" not in found.results[1].contributions


@pytest.mark.django_db
def test_in_a_large_space_the_cost_is_the_same(space: Space) -> None:
    remember_all(space, [line.text for line in next(people("whose")).memories])
    rules, text = PolicyDocument(), "Where do I live?"
    shape = Shape(PROFILES["hybrid"], rules.decay, rules.recall, rules.language, limit=10)
    question = Question(space, text, embed(space.embedder, [text], kind="query")[0], NOW)

    exact, likely = (
        {one.pk: vars(one)[OTHERS] for one in recalled(question, shape, large=large)}
        for large in (1000, 1)
    )
    assert exact == likely
    assert set(exact.values()) == {0.0, 1.0}
