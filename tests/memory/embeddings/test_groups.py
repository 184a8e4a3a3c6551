"""Groups of sentences of long texts, and the ends of long questions."""

import numpy as np
import pytest

from accounts.models import Embedder, Space
from memory.embeddings import BUILT_IN, MINILM, MULTILINGUAL, EmbeddingError, get_embedder
from memory.embeddings.groups import GROUP, ends_of, texts_of
from memory.embeddings.openai_compatible import OpenAICompatibleEmbedder
from memory.embeddings.vectors import embed, embed_questions
from tests.memory.recall.long_texts import ASKED, FACT, long_text

ENGLISH = get_embedder("local", MINILM, BUILT_IN[MINILM])
CHINESE = "里斯本的猫喜欢在阳台上吃鱼。"


def test_a_short_text_is_whole() -> None:
    for text in ("", "User likes pizza", "word " * 200):
        assert texts_of(text, ENGLISH.reads) == [text]


@pytest.mark.parametrize(
    "text",
    [
        long_text(5000, 9000),
        "".join(f"{number}只猫喜欢在阳台上吃鱼。" for number in range(500)),
        " ".join(map(str, range(2000))),
        "".join(map(str, range(2000))),
        "".join(f"Line {number}\n" for number in range(900)),
    ],
    ids=["english", "chinese", "numbers", "one word", "lines"],
)
def test_the_groups_of_a_long_text_are_short_and_hold_all_of_it(text: str) -> None:
    whole, *groups = texts_of(text, lambda part: min(len(part), 1000))

    assert whole == text
    assert all(len(group.encode()) <= GROUP for group in groups)
    end = 0
    for group in groups:
        start = text.index(group)
        assert start <= end < start + len(group), "nothing is left out"
        end = start + len(group)
    assert end == len(text)


def test_a_group_ends_with_a_sentence_and_begins_with_the_last_one() -> None:
    _whole, first, second, *_rest = texts_of(long_text(0, 3000), ENGLISH.reads)

    assert first.endswith(". ")
    assert second.startswith(first.rstrip().rpartition(". ")[2])


def test_minilm_reads_as_many_tokens_as_it_embeds() -> None:
    text = long_text(9000, 12_000)

    read = ENGLISH.reads(text)

    assert 600 < read < 1500
    assert np.allclose(ENGLISH.embed([text]), ENGLISH.embed([text[:read]]))
    assert ENGLISH.reads("word " * 200) == 1000
    with pytest.raises(EmbeddingError, match="Unicode"):
        ENGLISH.reads("\ud800" * 300)


def test_others_read_a_thousand_characters_or_what_many_open_models_read() -> None:
    multilingual = get_embedder("local", MULTILINGUAL, BUILT_IN[MULTILINGUAL])
    remote = OpenAICompatibleEmbedder(base_url="http://x", api_key="", model="x", dimensions=3)

    assert multilingual.reads(CHINESE * 500) == 1000
    assert remote.reads("word " * 1000) == 1500
    assert remote.reads(CHINESE * 500) == 500


def test_a_long_question_is_read_at_its_beginning_and_its_end(
    space: Space, embedder: Embedder
) -> None:
    told = long_text(8000, 9000, "")
    [fact, plain] = embed(embedder, [FACT, told])
    for asked in (f"{ASKED} {told}", f"{told} {ASKED}"):
        beginning, end = ends_of(asked, ENGLISH.reads)
        assert asked.startswith(beginning)
        assert asked.endswith(end)
        assert ENGLISH.reads(end) == len(end)
        [vector] = embed_questions(embedder, [asked], space=space)
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
        assert vector @ fact > plain @ fact
    short = embed(embedder, [ASKED], kind="query")[0]
    assert np.array_equal(embed_questions(embedder, [ASKED])[0], short)
