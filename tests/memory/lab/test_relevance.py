"""A user's own marks: which memory had to do with which question."""

from collections.abc import Callable

import pytest

from accounts.models import Space, User
from memory.lab.relevance import mark_relevance, unmark_relevance
from memory.models import RelevanceMark
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import NOW, remember

QUESTION = "what do I eat? " + "长" * 3000  # longer than an entry of an index may be


def test_the_newest_mark_counts_and_can_be_taken_back(space: Space, alice: User) -> None:
    memory = remember(space, "User likes pizza")
    other = remember(space, "User lives in Lisbon")
    for relevant, marked in ((True, memory), (False, memory), (True, other)):
        mark_relevance(
            space=space, query=QUESTION, memory_id=marked.pk, relevant=relevant, user=alice, now=NOW
        )

    marks = RelevanceMark.objects.in_space(space).on(QUESTION)
    assert dict(marks.values_list("memory", "relevant")) == {memory.pk: False, other.pk: True}
    assert set(marks.values_list("made_by", flat=True)) == {alice.pk}

    unmark_relevance(space=space, query="what else?", memory_id=memory.pk)
    assert marks.count() == 2
    unmark_relevance(space=space, query=QUESTION, memory_id=memory.pk)
    assert [mark.memory_id for mark in marks] == [other.pk]


def test_api_marks_and_says_what_stands(
    api: Callable[[str | None], ApiClient], key: MakeKey, space: Space
) -> None:
    memory = remember(space, "User likes pizza")
    caller = api(key())

    for relevant in (True, False):
        body = {"query": "  what do I eat? ", "relevant": relevant}
        answer = caller.post(f"memories/{memory.short_id}/relevance", body)
        assert answer.status_code == 200, answer.content
    assert answer.json() | {"created_at": None} == {
        "memory_id": str(memory.pk), "query": "what do I eat?", "relevant": False,
        "created_at": None,
    }  # fmt: skip
    [mark] = RelevanceMark.objects.in_space(space)
    assert mark.made_by is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"query": " ", "relevant": True}, "query"),
        ({"query": "what?", "relevant": "yes"}, "relevant"),
        ({"query": "what?"}, "relevant"),
    ],
)
def test_api_refuses_what_is_no_mark(
    api: Callable[[str | None], ApiClient], key: MakeKey, space: Space, body: object, field: str
) -> None:
    memory = remember(space, "User likes pizza")

    answer = api(key()).post(f"memories/{memory.pk}/relevance", body)

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert not RelevanceMark.objects.exists()
