"""The built-in model for other languages than English, and the spaces that use it."""

import numpy as np
import pytest
from django.utils import timezone

from accounts.models import Space
from foundation.actors import SYSTEM
from memory.drafts import MemoryDraft
from memory.embeddings import MINILM, MULTILINGUAL, EmbeddingError, get_embedder
from memory.embeddings.trust import trust
from memory.models import MemoryEmbedding
from memory.policies.services import change_policy
from memory.recall.recall import SearchRequest, recall
from memory.store.services import create_memories

FACTS = {
    "zh": (
        "我三月份搬到了里斯本。",
        "我在儿童医院当护士，上夜班。",
        "我妈妈教了三十年化学。",
        "我受不了恐怖片。",
    ),
    "ja": (
        "三月にリスボンへ引っ越しました。",
        "小児病院で看護師をしています。",
        "母は化学を教えていました。",
        "ホラー映画は苦手です。",
    ),
    "de": (
        "Im März bin ich nach Lissabon gezogen.",
        "Ich arbeite als Krankenschwester.",
        "Meine Mutter war Chemielehrerin.",
        "Horrorfilme ertrage ich nicht.",
    ),
}
QUESTIONS = {
    "zh": (
        "我现在住在哪个城市？",
        "我是做什么工作的？",
        "我母亲以前的职业？",
        "我不爱看哪种电影？",
    ),
    "ja": (
        "引っ越し先の都市はどこですか？",
        "職場は病院ですか？",
        "母の職業は何でしたか？",
        "嫌いな映画の種類は？",
    ),
    "de": (
        "In welcher Stadt wohne ich?",
        "Was ist mein Beruf?",
        "Was hat meine Mama gearbeitet?",
        "Welches Kino mag ich nicht?",
    ),
}


def remember(space: Space, *contents: str) -> None:
    drafts = [MemoryDraft(content=content) for content in contents]
    create_memories(space=space, drafts=drafts, actor=SYSTEM, now=timezone.now())


def models(space: Space) -> set[str]:
    """The models of the space's vectors, and the model it uses."""
    vectors = MemoryEmbedding.objects.in_space(space).values_list("embedder__model", flat=True)
    return {*vectors, Space.objects.get(pk=space.pk).embedder.model}


def test_vectors_are_of_norm_1_and_depend_on_their_own_text_alone() -> None:
    embedder = get_embedder("local", MULTILINGUAL, 512)
    texts = ["你好", "", "Where do I live?", "字" * 5000]
    together = embedder.embed(texts)
    assert together.shape == (4, 512)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)
    for row, text in zip(together, texts, strict=True):
        np.testing.assert_array_equal(row, embedder.embed([text])[0])


def test_a_text_and_its_translation_are_alike() -> None:
    vectors = get_embedder("local", MULTILINGUAL, 512).embed(
        ["我最喜欢的食物是披萨", "My favourite food is pizza", "The meeting was moved to Friday"]
    )
    assert vectors[0] @ vectors[1] > 0.7 > 0.4 > vectors[0] @ vectors[2]


def test_broken_unicode_is_a_permanent_error() -> None:
    with pytest.raises(EmbeddingError, match="Unicode") as caught:
        get_embedder("local", MULTILINGUAL, 512).embed(["\ud800"])
    assert caught.value.permanent


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_the_script_of_the_first_memory_chooses_the_model(space: Space, language: str) -> None:
    remember(space, FACTS[language][0])
    remember(space, "And one in English.")
    assert models(space) == {MULTILINGUAL}


def test_the_language_of_the_policy_chooses_the_model(space: Space) -> None:
    change_policy(space=space, changes={"language": "de"}, actor=SYSTEM, now=timezone.now())
    remember(space, FACTS["de"][0])
    assert models(space) == {MULTILINGUAL}


def test_a_space_with_memories_keeps_its_model(space: Space) -> None:
    remember(space, "I live in Lisbon.")
    remember(space, *FACTS["zh"])
    assert models(space) == {MINILM}


@pytest.mark.parametrize("language", list(FACTS))
def test_a_question_finds_its_fact(space: Space, language: str) -> None:
    change_policy(space=space, changes={"language": language}, actor=SYSTEM, now=timezone.now())
    remember(space, *FACTS[language])
    for question, fact in zip(QUESTIONS[language], FACTS[language], strict=True):
        found = recall(space, SearchRequest(question, limit=1), now=timezone.now())
        assert [one.memory.content for one in found.results] == [fact]


@pytest.mark.parametrize(
    ("question", "trusted"),
    [
        ("Where do I live?", 1.0),
        ("我住在哪里？", 0.0),
        ("我在 Lisbon 住吗？", 0.6),
        ("¿Dónde?", 1.0),
    ],
)
def test_minilm_is_trusted_as_far_as_it_knows_the_script(
    space: Space, question: str, trusted: float
) -> None:
    assert trust(space.embedder, question) == trusted


def test_parts_add_up_when_the_model_is_not_trusted(space: Space) -> None:
    remember(space, "I live in Lisbon.", "用户住在里斯本")
    request = SearchRequest("用户住在哪里？", explain=True)
    [first, second] = recall(space, request, now=timezone.now()).results
    assert first.memory.content == "用户住在里斯本"
    for one in (first, second):
        assert sum(one.contributions.values()) == pytest.approx(one.score, abs=1e-9)
        assert "semantic" not in one.contributions
        assert set(one.rank_without) == set(one.contributions)
