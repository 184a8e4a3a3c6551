"""The vector of a remark is turned toward the memories that help with it."""

import numpy as np
import pytest

from accounts.models import Embedder, Space
from memory.embeddings.vectors import embed
from memory.recall.recall import SearchRequest, recall
from memory.recall.remarks import is_remark, load_matrix, toward_memories, turned
from tests.memory.recall.test_hybrid_everyday import NOW, remember

pytestmark = pytest.mark.django_db

REMARK = "Long shift on the ward today."
KNOWN = (
    "User works as a nurse at St Mary's hospital",
    "User drinks only decaf after noon",
    "User has a parrot that sings",
    "User moved to Utrecht in 2021",
    "User goes swimming before work on Mondays",
)


def similarities(space: Space, text: str, profile: str) -> dict[str, float]:
    found = recall(space, SearchRequest(text, profile=profile, limit=10), now=NOW)
    return {one.memory.content: one.similarity for one in found.results}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (REMARK, True),
        ("The vet wants to see my beagle again next month", True),
        ("Where do I live?", False),
        ("home city", False),
        ("We walked along the river. " * 13, False),
        ("User lives in San Francisco", False),
        ("我今天在病房值了很久的班，非常累。", False),
    ],
)
def test_remarks_are_not_questions_keywords_long_texts_or_chinese(
    space: Space, text: str, expected: bool
) -> None:
    assert is_remark(space.embedder, text) is expected


def test_another_models_vectors_are_not_turned(space: Space) -> None:
    other = Embedder.objects.create(provider="openai", model="another", dimensions=384)

    assert not is_remark(other, REMARK)


def test_a_turned_vector_is_a_unit_vector_beside_the_text(space: Space) -> None:
    [vector] = embed(space.embedder, [REMARK], kind="query")

    moved = toward_memories(space.embedder, REMARK, vector)

    assert np.linalg.norm(moved) == pytest.approx(1.0, abs=1e-5)
    assert 0.5 < float(moved @ vector) < 0.999
    assert np.array_equal(turned(vector, np.zeros_like(load_matrix())), vector)


def test_a_remark_is_nearer_to_its_memory_but_not_by_the_seeds_profiles(space: Space) -> None:
    remember(space, *KNOWN)

    turned_toward = similarities(space, REMARK, "hybrid")
    plain = similarities(space, REMARK, "relevance")

    assert turned_toward[KNOWN[0]] > plain[KNOWN[0]] + 0.05
    [vector, known] = embed(space.embedder, [REMARK, KNOWN[0]])
    assert plain[KNOWN[0]] == pytest.approx(float(vector @ known), abs=0.002)


def test_a_question_is_compared_as_it_is(space: Space) -> None:
    remember(space, *KNOWN)

    assert similarities(space, "Where do I work?", "hybrid") == similarities(
        space, "Where do I work?", "relevance"
    )
