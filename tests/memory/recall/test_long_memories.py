"""A long memory is found by any of its sentences, in small and large spaces, by those who may."""

from dataclasses import replace

import numpy as np
import pytest
from django.db import connection

from accounts.models import Embedder, Space
from foundation.actors import SYSTEM
from foundation.readers import Reader
from memory.drafts import MemoryChange, MemoryDraft
from memory.embeddings.switching import cancel_switch
from memory.models import FurtherEmbedding, Memory, MemoryEmbedding
from memory.models.policies import current_policy
from memory.recall.recall import Recall, SearchRequest, recall
from memory.recall.sql import recalled
from memory.retention.recycle_bin import delete_memory, purge_memory, restore_memory
from memory.spaces.services import delete_space
from memory.store.revisions import revert_memory
from memory.store.services import Prepared, revise_memory, store_memories
from memory.text.passages import passages
from tests.memory.embeddings.moving import begin, target, work
from tests.memory.recall.large_spaces import EXACTLY, MODES, asked, large_space, meaning, shape
from tests.memory.recall.long_texts import ASKED, FACT, long_text
from tests.memory.transfer.spaces import exported, imported, new_space
from tests.memory.writing import ALICE, NOW, learn, remember

__all__ = ["large_space", "target"]


@pytest.fixture
def notes(space: Space) -> Space:
    """A space with some short memories."""
    for name in ("Anna", "Ben", "Cleo", "Dora", "Emil", "Finn", "Greta", "Hugo"):
        remember(space, f"{name} goes rowing with the club in summer")
        remember(space, f"{name} read the accounts of the year before")
    remember(space, "Ida has the keys of the cellar")
    return space


def ask(space: Space, text: str = ASKED, **options: object) -> Recall:
    request = SearchRequest(text, min_relevance=None, **options)  # type: ignore[arg-type]  # mypy cannot check names in a dict
    return recall(space, request, now=NOW)


def first(space: Space, text: str = ASKED, **options: object) -> list[Memory]:
    """The two memories that fit best: another also has keys."""
    return [one.memory for one in ask(space, text, **options).results[:2]]


def further(memory: Memory) -> int:
    """The number of further vectors, as both tables say."""
    rows = FurtherEmbedding.objects.filter(space_id=memory.space_id, memory=memory)
    counted = MemoryEmbedding.objects.filter(space_id=memory.space_id, memory=memory)
    assert sum(counted.values_list("further", flat=True)) == rows.count()
    return rows.count()


@pytest.mark.parametrize(("at", "length"), [(1500, 3000), (5000, 8000), (9000, 12_000)])
def test_what_a_long_memory_says_late_is_found(notes: Space, at: int, length: int) -> None:
    memory = remember(notes, long_text(at, length))
    other = remember(notes, long_text(0, length, ""))

    for text in (ASKED, "Which keys does Ottilie Brandner have?"):
        assert memory in first(notes, text), text
        assert other not in first(notes, text)
    assert further(memory) >= length // 240


NAMED = "The alarm technician is Thaddeus Quillfeather. "


def recalled_in_chat(space: Space, text: str) -> list[Memory]:
    """The memories that are relevant enough for a model."""
    return [one.memory for one in ask(space, text).results]


def test_a_name_near_its_end_is_relevant(space: Space) -> None:
    for number in range(60):
        remember(space, f"Note {number}: rowing boat {number} was cleaned and oiled")
    memory = remember(space, long_text(9000, 9400, NAMED))

    for text in ("Thaddeus Quillfeather", "Who is the alarm technician?"):
        assert memory in recalled_in_chat(space, text), text
    for text in ("hi", "What's the weather?", "Who is Margaret Holloway?", "Margaret Holloway"):
        assert memory not in recalled_in_chat(space, text), text


def test_some_words_of_a_question_do_not_make_it_relevant(notes: Space) -> None:
    memory = remember(notes, long_text(9000, 9400, NAMED))

    assert memory not in recalled_in_chat(notes, "I bought a new machine for Thaddeus Holloway")


def test_a_short_memory_has_one_vector(space: Space) -> None:
    assert further(remember(space, long_text(500, 900))) == 0
    assert further(remember(space, "User likes pizza")) == 0


def test_its_explanation_adds_up(notes: Space) -> None:
    memory = remember(notes, long_text(5000, 8000))
    remember(notes, FACT.strip())

    found = ask(notes, explain=True).results

    [long] = [one for one in found if one.memory == memory]
    assert long.similarity > 0.3
    assert long.contributions["semantic"] == pytest.approx(long.signals["semantic"])
    assert sum(long.contributions.values()) == pytest.approx(long.score)
    assert [one.rank for one in found] == sorted(one.rank or 0 for one in found)


def test_chinese_is_found_as_well(space: Space) -> None:
    said = "".join(f"第{number}次会议讨论了花园和下雨天。" for number in range(300))
    text = f"{said[:3000]}奥蒂莉保管船屋的钥匙。{said[3000:]}"
    memory = remember(space, text)
    remember(space, "安娜喜欢在河边散步")

    assert ask(space, "谁保管船屋的钥匙？").results[0].memory == memory
    assert further(memory) >= 30


def test_an_earlier_version_of_it_is_not_found(notes: Space) -> None:
    memory = remember(notes, long_text(5000, 8000))

    def revise(content: str) -> None:
        change = MemoryChange(content=content)
        revise_memory(space=notes, memory_id=memory.pk, change=change, actor=ALICE, now=NOW)

    revise(long_text(5000, 8000, ""))
    assert memory not in first(notes)
    assert further(memory) > 0
    revise("User likes pizza")
    assert further(memory) == 0
    revert_memory(space=notes, memory_id=memory.pk, revision=1, actor=ALICE, now=NOW)
    assert memory in first(notes)


def test_the_bin_hides_it_and_a_purge_leaves_no_vector(notes: Space) -> None:
    memory = remember(notes, long_text(5000, 8000))
    delete_memory(space=notes, memory_id=memory.pk, actor=ALICE, now=NOW)
    assert memory not in [one.memory for one in ask(notes).results]
    restore_memory(space=notes, memory_id=memory.pk, actor=ALICE, now=NOW)
    assert memory in first(notes)

    delete_memory(space=notes, memory_id=memory.pk, actor=ALICE, now=NOW)
    purge_memory(space=notes, memory_id=memory.pk, actor=ALICE, now=NOW)

    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what a commit would check
    assert not FurtherEmbedding.objects.in_space(notes).exists()


def test_a_deleted_space_leaves_no_vector(notes: Space) -> None:
    remember(notes, long_text(5000, 8000))

    delete_space(space=notes, actor=SYSTEM)

    assert not FurtherEmbedding.objects.filter(space_id=notes.pk).exists()


def test_an_import_makes_its_vectors(notes: Space) -> None:
    memory = remember(notes, long_text(5000, 8000))

    there = new_space("there")
    imported(there, exported(notes))

    [found] = [one for one in first(there) if one.content == memory.content]
    assert further(found) == further(memory)


def test_a_restatement_reinforces_it(notes: Space) -> None:
    text = long_text(5000, 8000)

    assert learn(notes, text) == learn(notes, text)


def test_another_model_embeds_its_groups(target: Embedder, notes: Space) -> None:
    memory = remember(notes, long_text(5000, 8000))
    old, own = further(memory), FurtherEmbedding.objects.in_space(notes)

    work(begin(notes, target))

    assert further(memory) > old
    assert own.made_by(target).count() > 30
    assert own.made_by(notes.embedder).count() == old


def test_a_cancelled_move_leaves_none_of_the_new_ones(target: Embedder, notes: Space) -> None:
    memory = remember(notes, long_text(5000, 8000))
    begin(notes, target)
    during = remember(Space.objects.get(pk=notes.pk), long_text(3000, 8000))
    old, own = further(memory), FurtherEmbedding.objects.in_space(notes)
    assert own.made_by(target).exists()

    cancel_switch(space=notes, now=NOW)

    assert not own.made_by(target).exists()
    assert further(memory) == old < further(during) * 2


def test_another_users_is_not_found(notes: Space) -> None:
    own = remember(notes, long_text(5000, 8000), user_id="anna")
    remember(notes, long_text(5000, 8000), user_id="ben")

    assert own in first(notes, reader=Reader("anna"))
    found = ask(notes, reader=Reader("anna")).results
    assert {one.memory.user_id for one in found} <= {"anna", None}


@MODES
def test_in_a_large_space_it_is_a_candidate(
    large_space: Space, worth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own vector is far from the question, one of its groups is near."""
    monkeypatch.setattr("memory.recall.sql.sizes.WORTH_OF_INDEX", worth)
    [question, *_] = asked(large_space)
    texts = [f"something else {number}" for number in range(5)]
    drafts = [
        MemoryDraft(content=text, importance=0.1, user_id=user_id)
        for text, user_id in zip(texts, (None, "user 7", "user 8", None, None), strict=True)
    ]
    far = [meaning(text) for text in texts]
    made = {large_space.embedder_id: [np.array([one, -one, question.vector]) for one in far]}
    store_memories(
        prepared=Prepared(
            large_space, drafts, passages(drafts, NOW), made, current_policy(large_space)
        ),
        actor=ALICE,
        now=NOW,
    )
    long = {memory.pk for memory in Memory.objects.filter(content__in=texts)}

    for reader, least in ((Reader(None), 3), (Reader("user 7"), 4)):
        own = replace(question, reader=reader)
        exact = recalled(own, shape("relevance"), large=EXACTLY)
        likely = recalled(own, shape("relevance"), large=1)
        assert sum(memory.pk in long for memory in exact) == least
        assert [memory.pk for memory in likely[:least]] == [memory.pk for memory in exact[:least]]
