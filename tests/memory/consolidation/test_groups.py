"""The rule on 100 groups of 300 memories, in both languages: right merges, wrong ones,
contradictions (benchmarks/sets/consolidation.txt)."""

import pytest

from accounts.models import Space
from benchmarks.consolidation_set import Proposed, counted, groups, missed
from memory.drafts import MemoryDraft
from memory.models import Memory
from memory.store.services import create_memories
from tests.memory.consolidation.runs import DAY, proposed
from tests.memory.writing import ALICE, NOW

pytestmark = pytest.mark.django_db


def test_the_set_has_100_groups_of_300_different_memories() -> None:
    found = groups()
    texts = [text for group in found for text in group.texts]

    assert (len(found), len(texts), len(set(texts))) == (100, 300, 300)
    assert {group.language for group in found} == {"English", "Chinese"}
    assert {group.kind for group in found} == {"same", "near", "against"}


def test_facts_are_merged_and_near_misses_are_not(space: Space) -> None:
    found = groups()
    texts = [text for group in found for text in group.texts]
    drafts = [
        MemoryDraft(content=text, memory_type="fact", created_at=NOW + number * DAY)
        for number, text in enumerate(texts)
    ]
    create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)

    said = dict(Memory.objects.in_space(space).values_list("pk", "content"))
    made = [
        Proposed(
            one.kind,
            frozenset(said[pk] for pk in one.removed),
            tuple(said[pk] for pk in one.sources),
        )
        for one in proposed(space)
    ]

    figures, differences = counted(found, made), missed(found, made)
    assert figures["merged whole"] >= 0.95 * figures["same facts"], differences
    assert figures["wrong pairs"] <= 1, differences  # of 135
    assert figures["found"] >= 0.8 * figures["contradictions"], differences
    assert figures["wrong contradictions"] <= 1, differences
