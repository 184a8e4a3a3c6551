"""However a conversation came, and whatever happened to its turns since: each is indexed with the
turns that stand around it now, and nothing of what was purged or reworded is left."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from uuid import UUID

import numpy as np
import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import Space
from memory.drafts import MemoryChange, MemoryDraft, Source
from memory.models import Memory, MemoryEmbedding
from memory.policies.services import change_policy
from memory.retention import sweep as retention
from memory.retention.recycle_bin import delete_memory, purge_memory, restore_memory
from memory.retention.sweep import Swept, sweep
from memory.store.services import create_memories, revise_memory
from tests.memory.sweeping import DAY
from tests.memory.writing import ALICE, NOW

SAID = (
    "Where did you spend the summer?",
    "In the Dolomites.",
    "It rained for two weeks.",
    "我们去了里斯本",
    "I read Tolstoy, " + "and much more, " * 80 + "and Gogol.",
    "Good for you!",
    "See you on Friday.",
    "Bring the mandolin.",
)
MINUTE = timedelta(minutes=1)

# A vector's last bits depend on the texts that are embedded with it.
ALIKE = 1e-3


def draft(number: int, *, dated: bool = True, conversation: str = "talk") -> MemoryDraft:
    return MemoryDraft(
        content=SAID[number],
        created_at=NOW + number * MINUTE if dated else NOW,
        source=Source(speaker="Ana" if number % 2 else "", conversation_id=conversation),
    )


def say(space: Space, numbers: Sequence[int], *, dated: bool = True) -> list[Memory]:
    """One call with these turns."""
    drafts = [draft(number, dated=dated) for number in numbers]
    return create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)


def index(space: Space) -> dict[str, str]:
    """Return the indexed text of each memory, by its content."""
    return dict(Memory.objects.in_space(space).values_list("content", "search"))


def found_alike(one: Space, other: Space) -> bool:
    """Return whether the memories of both have the same text index and the same vectors."""
    # The same may be said in a conversation and outside of it.
    named = ("memory__content", "memory__source_conversation", "vector")
    vectors = [
        {
            (content, conversation): vector
            for content, conversation, vector in (
                MemoryEmbedding.objects.in_space(space).values_list(*named)
            )
        }
        for space in (one, other)
    ]
    same = [
        np.allclose(vector, vectors[1][said], atol=ALIKE) for said, vector in vectors[0].items()
    ]
    indexed = [
        sorted(Memory.objects.in_space(space).values_list("content", "search"))
        for space in (one, other)
    ]
    return indexed[0] == indexed[1] and all(same) and len(vectors[0]) == len(vectors[1])


def lexemes(space: Space) -> str:
    return " ".join(Memory.objects.in_space(space).values_list("search", flat=True))


def purge(space: Space, memory_id: UUID) -> None:
    delete_memory(space=space, memory_id=memory_id, actor=ALICE, now=NOW)
    purge_memory(space=space, memory_id=memory_id, actor=ALICE, now=NOW)


def reword(space: Space, memory_id: UUID, content: str) -> None:
    change = MemoryChange(content=content)
    revise_memory(space=space, memory_id=memory_id, change=change, actor=ALICE, now=NOW)


@pytest.mark.parametrize(
    "calls",
    [
        [[0, 1, 2], [3, 4, 5]],
        [[3, 4, 5], [0, 1, 2]],
        [[0], [1], [2], [3], [4], [5]],
        [[4], [0], [5], [2], [1], [3]],
        [[0, 2, 4], [1, 3, 5]],
        [[0, 5], [1, 4], [2, 3]],
    ],
    ids=["two", "two, the later first", "one by one", "any order", "in between", "inwards"],
)
def test_the_calls_a_conversation_comes_in_make_no_difference(
    space: Space, other_space: Space, calls: list[list[int]]
) -> None:
    say(other_space, range(6))

    for numbers in calls:
        say(space, numbers)

    assert found_alike(space, other_space)
    assert "dolomit':" in index(space)[SAID[0]]


@pytest.mark.parametrize("calls", [[[0, 1, 2], [3, 4, 5]], [[0], [1, 2], [3], [4, 5]]])
def test_turns_of_the_same_moment_stand_as_they_came(
    space: Space, other_space: Space, calls: list[list[int]]
) -> None:
    say(other_space, range(6), dated=False)

    for numbers in calls:
        say(space, numbers, dated=False)

    assert found_alike(space, other_space)
    # The first is not beside the last.
    assert "good':" not in index(space)[SAID[0]]


def test_turns_of_another_conversation_or_space_stay_out(space: Space, other_space: Space) -> None:
    say(other_space, [1])
    drafts = [draft(2, conversation="another"), draft(0, conversation="")]
    create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)
    before = index(space)

    say(space, [1])

    after = index(space)
    assert {content: after[content] for content in before} == before
    assert after[SAID[1]] == index(other_space)[SAID[1]]


@pytest.mark.django_db(transaction=True)
def test_turns_that_come_at_once_all_find_each_other(space: Space, other_space: Space) -> None:
    say(other_space, range(8))
    together = Barrier(4)

    def run(first: int) -> None:
        together.wait(timeout=30)
        try:
            say(space, [first, first + 4])
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(4)))

    assert found_alike(space, other_space)


def test_a_turn_in_the_bin_keeps_its_place(space: Space) -> None:
    turns = say(space, range(6))
    before = index(space)

    delete_memory(space=space, memory_id=turns[1].pk, actor=ALICE, now=NOW)
    assert index(space) == before
    restore_memory(space=space, memory_id=turns[1].pk, actor=ALICE, now=NOW)
    assert index(space) == before


def test_a_purged_turn_leaves_no_word_behind(space: Space, other_space: Space) -> None:
    turns = say(space, range(6))
    say(other_space, [0, 2, 3, 4, 5])

    purge(space, turns[1].pk)

    assert "dolomit" not in lexemes(space)
    assert found_alike(space, other_space)


@pytest.mark.parametrize("at_once", [500, 2])
def test_the_bins_end_leaves_no_word_behind(
    space: Space, other_space: Space, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(retention, "BATCH", at_once)
    turns = say(space, range(8))
    alone = MemoryDraft(content="I play the tuba.")
    turns += create_memories(space=space, drafts=[alone], actor=ALICE, now=NOW)
    for number in (0, 2, 3, 6, 8):
        delete_memory(space=space, memory_id=turns[number].pk, actor=ALICE, now=NOW)
    say(other_space, [1, 4, 5, 7])

    # The observations that nobody deleted have expired by then, but not been purged.
    assert sweep(space=space, now=NOW + 30 * DAY) == Swept(4, 0, 5)

    assert found_alike(space, other_space)
    for word in ("summer", "rain", "里斯", "friday", "tuba"):
        assert word not in lexemes(space)


def test_a_reworded_turn_is_reworded_for_those_around_it(space: Space, other_space: Space) -> None:
    turns = say(space, range(6))
    drafts = [draft(number) for number in range(6)]
    drafts[1] = drafts[1].model_copy(update={"content": "In the Vosges."})
    create_memories(space=other_space, drafts=drafts, actor=ALICE, now=NOW)

    reword(space, turns[1].pk, "In the Vosges.")

    assert "dolomit" not in lexemes(space)
    assert found_alike(space, other_space)


def test_another_language_is_that_of_the_turns_around_too(space: Space, other_space: Space) -> None:
    for one in (space, other_space):
        create_memories(space=one, drafts=[draft(1, conversation="")], actor=ALICE, now=NOW)
    change_policy(space=other_space, changes={"language": "de"}, actor=ALICE, now=NOW)
    for one in (space, other_space):
        say(one, range(6))
    assert not found_alike(space, other_space)

    change_policy(space=space, changes={"language": "de"}, actor=ALICE, now=NOW)

    assert found_alike(space, other_space)


@settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_whatever_happens_the_index_is_that_of_what_is_said_now(
    space: Space, other_space: Space, data: st.DataObject
) -> None:
    """Turns come in any order, some are reworded, some purged: the index is as if what is left had
    come in one call."""
    for one in (space, other_space):
        Memory.objects.in_space(one).delete()
    contents = dict(enumerate(SAID))
    ids: dict[int, UUID] = {}
    for number in data.draw(st.permutations(range(8)), label="coming"):
        [ids[number]] = [turn.pk for turn in say(space, [number])]
        if data.draw(st.booleans(), label="reword"):
            other = data.draw(st.sampled_from(sorted(ids)))
            contents[other] = f"I say {number} instead."
            reword(space, ids[other], contents[other])
        if data.draw(st.integers(0, 3), label="purge") == 0:
            other = data.draw(st.sampled_from(sorted(ids)))
            purge(space, ids.pop(other))
            if not ids:
                break
    left = [draft(n).model_copy(update={"content": contents[n]}) for n in sorted(ids)]
    if left:
        create_memories(space=other_space, drafts=left, actor=ALICE, now=NOW)

    assert found_alike(space, other_space)
