"""A text that several memories have is found once, and its other places go to other texts."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from accounts.models import Space
from foundation.readers import EVERYONE, Reader
from memory.embeddings.vectors import embed
from memory.formulas.ranking import PROFILES, Profile
from memory.models import Memory
from memory.policy import PolicyDocument
from memory.recall.recall import Recall, SearchRequest, recall
from memory.recall.sql import Question, Shape, recalled
from memory.recall.sql.sizes import LARGE
from tests.memory.writing import NOW, remember


def test_a_text_is_found_once_and_its_place_goes_to_the_next(space: Space) -> None:
    for content in ("User likes jazz", "User likes jazz.", "User likes rock"):
        for user_id in (None, "alice"):
            remember(space, content, user_id=user_id)
    reader = Reader("alice")

    def found(**request: Any) -> Recall:
        return recall(space, SearchRequest("jazz", reader=reader, **request), now=NOW)

    every = found(limit=6, explain=True, each_once=False)
    once = found(limit=2, explain=True)

    assert len(every.results) == 6
    assert once.results[0].memory.pk == every.results[0].memory.pk
    assert once.results[1].memory.content == "User likes rock"
    assert [one.rank for one in once.results] == [1, 2]
    assert list(once.missed) == []


def test_a_text_that_was_true_before_is_no_repetition(space: Space) -> None:
    before, _now = (remember(space, "User lives in Lisbon") for _ in range(2))
    past = {"valid_from": NOW - timedelta(days=60), "valid_to": NOW - timedelta(days=30)}
    Memory.objects.in_space(space).filter(pk=before.pk).update(**past)
    asked = SearchRequest("Where did the user live before?")

    assert len(recall(space, asked, now=NOW).results) == 2


WRITTEN = ["User's card ends in １２", "User's card ends in 12.", "USER'S CARD ENDS IN 12"]


@pytest.mark.parametrize("explain", [False, True])
@pytest.mark.parametrize("large", [LARGE, 0])
def test_copies_leave_room_for_other_memories(space: Space, explain: bool, large: int) -> None:
    """Ninety copies fill every window and all candidates."""
    for number in range(90):
        remember(space, WRITTEN[number % 3], created_at=NOW - timedelta(seconds=number))
    other = remember(space, "User's card is blue")
    question = Question(space, "card", np.asarray(embed(space.embedder, ["card"])[0]), NOW)
    rules = PolicyDocument()
    shape = Shape(PROFILES["hybrid"], rules.decay, rules.recall, "en", limit=5, explain=explain)

    found = recalled(question, shape, large=large)

    assert [other.pk in {memory.pk for memory in found}, len(found)] == [True, 2]
    assert vars(found[0])["copies"] + vars(found[1])["copies"] == 91
    if explain:
        assert sorted(vars(memory)["rank"] for memory in found) == [1, 2]


def test_the_best_of_equal_texts_is_found_and_of_equally_good_ones_the_newest(space: Space) -> None:
    remember(space, "User likes jazz", importance=0.9, created_at=NOW - timedelta(days=2))
    best = remember(space, "user likes jazz", importance=0.9, created_at=NOW - timedelta(days=1))
    other = remember(space, "User likes jazz!", importance=0.1, created_at=NOW)

    by_importance = Profile(name="own", importance=1.0, source="this test")
    found = recall(space, SearchRequest("jazz", by_importance), now=NOW).results

    # With another importance a text is a candidate of its own (seed 002, AC-4).
    assert [one.memory.pk for one in found] == [best.pk, other.pk]


def test_users_may_say_the_same(space: Space) -> None:
    for user_id in ("alice", "bob", None):
        remember(space, "User likes jazz", user_id=user_id)

    def owners(reader: Reader) -> list[str | None]:
        found = recall(space, SearchRequest("jazz", reader=reader), now=NOW).results
        return sorted((one.memory.user_id for one in found), key=str)

    assert owners(EVERYONE) == [None, "alice", "bob"]
    assert len(owners(Reader("alice"))) == 1


def test_a_copy_of_a_memory_to_leave_out_is_found(space: Space) -> None:
    older = remember(space, "User likes jazz", created_at=NOW - timedelta(days=1))
    newer = remember(space, "User likes jazz", created_at=NOW)
    request = SearchRequest("jazz", without={newer.pk})

    assert recall(space, request, now=NOW).memory_ids == [older.pk]
