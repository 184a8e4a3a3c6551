"""A space of 1,200 memories that counts as large, for the tests of its answers and its index."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from random import Random
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from django.db import connection, transaction
from django.test import TestCase
from pytest_django import DjangoDbBlocker

from accounts.models import Space
from foundation.actors import SYSTEM
from memory.drafts import MemoryDraft, MemoryTypeName
from memory.embeddings.embedders import register_embedder
from memory.formulas.ranking import PROFILES
from memory.models import Memory
from memory.models.policies import current_policy
from memory.policy import PolicyDocument
from memory.recall.sql import Question, Shape
from memory.spaces.services import create_space
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


@pytest.fixture(scope="module")
def filled_space(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Space]:
    """Memories of every type, age and importance, with one word of their own each.

    They stand in a transaction around all tests of the module, and each test is a savepoint in it.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        embedder = register_embedder(provider="local", model="all-MiniLM-L6-v2", dimensions=384)
        space = create_space(slug="large", name="Large", embedder=embedder, actor=SYSTEM)
        with (
            pytest.MonkeyPatch.context() as patch,
            TestCase.captureOnCommitCallbacks(execute=True),
        ):
            patch.setattr("memory.embeddings.indexing.INDEXED_ABOVE", COUNT - 1)
            store_memories(prepared=_memories(space), actor=ALICE, now=NOW)
        with connection.cursor() as cursor:
            # An index cannot be made while keys wait to be checked.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        yield space
        transaction.set_rollback(True)


def _memories(space: Space) -> Prepared:
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
    return Prepared(space, drafts, passages(drafts, NOW), vectors, current_policy(space))


@pytest.fixture
def large_space(filled_space: Space, db: None, monkeypatch: pytest.MonkeyPatch) -> Space:
    """The space as it is at the beginning of each test, with its vectors in the index."""
    monkeypatch.setattr("memory.embeddings.indexing.INDEXED_ABOVE", COUNT - 1)
    with connection.cursor() as cursor:
        # For each test: autovacuum, which does not see these rows, may have counted them.
        cursor.execute("ANALYZE memory_memory, memory_memoryembedding")
    return Space.objects.get(pk=filled_space.pk)


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
