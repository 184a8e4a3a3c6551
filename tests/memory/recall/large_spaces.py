"""A space of 1,200 memories that counts as large, for the tests of its answers and its index."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from random import Random
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from django.db import connection
from pytest_django import DjangoCaptureOnCommitCallbacks

from memory.drafts import MemoryDraft, MemoryTypeName
from memory.formulas.ranking import PROFILES
from memory.models import Memory, Space
from memory.models.policies import current_policy
from memory.policy import PolicyDocument
from memory.recall.sql import Question, Shape
from memory.store.services import Prepared, store_memories
from memory.text.passages import passages
from tests.memory.recall.test_recall import SUBJECTS, THINGS, VERBS
from tests.memory.writing import ALICE, NOW

COUNT, EXACTLY = 1200, 10**9
ASKED = [("Jaz", "pizza"), ("Melanie", "hiking"), ("Grandma", "jazz"), ("User", "penicillin")]
MODES = pytest.mark.parametrize("worth", [0, EXACTLY], ids=["by index", "by scan"])


def meaning(text: str) -> npt.NDArray[np.float32]:
    """A vector of the test's own, near those of texts that share words: no model is needed."""
    words = text.lower().split()
    total = np.sum([_of_word(word) for word in words], axis=0)
    unit: npt.NDArray[np.float32] = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


@cache
def _of_word(word: str) -> npt.NDArray[np.float64]:
    return np.random.default_rng(list(word.encode())).standard_normal(384)


@pytest.fixture
def large_space(
    space: Space,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> Space:
    """Memories of every type, age and importance, with one word of their own each."""
    random = Random(8)  # repeatable on purpose
    drafts = [
        MemoryDraft(
            content=f"{random.choice(SUBJECTS)} {random.choice(VERBS)} {random.choice(THINGS)}"
            f" {random.choice(SUBJECTS)} {random.choice(THINGS)} word{number}",
            memory_type=random.choice(get_args(MemoryTypeName)),
            importance=random.random(),
            created_at=NOW - timedelta(days=random.uniform(0, 400)),
        )
        for number in range(COUNT)
    ]
    vectors = {space.embedder_id: np.array([[meaning(draft.content)] for draft in drafts])}
    prepared = Prepared(space, drafts, passages(drafts, NOW), vectors, current_policy(space))
    monkeypatch.setattr("memory.embeddings.indexing.INDEXED_ABOVE", COUNT - 1)
    with django_capture_on_commit_callbacks(execute=True):
        store_memories(prepared=prepared, actor=ALICE, now=NOW)
    space.refresh_from_db(fields=["vectors_indexed"])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_memory, memory_memoryembedding")
    return space


def shape(profile: str = "hybrid", **changes: object) -> Shape:
    rules = PolicyDocument()
    plain = Shape(PROFILES[profile], rules.decay, rules.recall, rules.language, limit=10)
    return replace(plain, **changes)  # type: ignore[arg-type]  # mypy cannot check names in a dict


def asked(space: Space) -> list[Question]:
    texts = [f"What about {who} and {what}?" for who, what in ASKED]
    return [
        Question(space, text, meaning(f"{who} {what}"), NOW)
        for text, (who, what) in zip(texts, ASKED, strict=True)
    ]


def agreement(likely: Sequence[Memory], exact: Sequence[Memory]) -> float:
    """The share of the exact answer that was found, where ties count as found."""
    least = exact[-1].score - 1e-3  # type: ignore[attr-defined]  # annotated by recall
    ids = {memory.pk for memory in exact}
    good = [one for one in likely if one.pk in ids or one.score >= least]  # type: ignore[attr-defined]  # the same
    return len(good) / len(exact)
