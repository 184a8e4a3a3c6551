"""The reader beside memories: which answers a question, and with which words."""

import json
from pathlib import Path

import numpy as np
import pytest

from reader import answers, language_of
from reader.comparison import nearness, texts_of
from reader.convolutions import convolved, encoder_weights, summed
from reader.vocabulary import BEGIN, END, encoder, pieces_of

KNOWN = ("I work as a vet in Porto", "My sister Ana works in a bank", "I can't stand mushrooms")


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("what do I do for a living?", 0),
        ("where does my sister work?", 1),
        ("我不喜欢吃什么？", 2),
        ("In welcher Stadt arbeite ich?", 0),
    ],
)
def test_the_memory_that_answers_is_found_in_any_language(asked: str, place: int) -> None:
    found = answers(asked, KNOWN)

    assert max(range(len(KNOWN)), key=lambda i: found[i].answers) == place


def test_the_words_that_answer_are_found() -> None:
    [found] = answers("where do I work?", KNOWN[:1])

    assert "Porto" in KNOWN[0][found.start : found.end]


def test_what_nobody_told_is_answered_by_nothing() -> None:
    assert sum(one.answers for one in answers("how old is my dog?", KNOWN)) < 0.5


def test_a_memory_that_helps_is_relevant_and_no_answer() -> None:
    found = answers("plan a dinner for me tonight", KNOWN)

    assert found[2].relevance > max(found[0].relevance, found[1].relevance)
    assert found[2].answers < 0.5


def test_chances_are_shares_of_one() -> None:
    found = answers("where do I work?", KNOWN)

    assert 0 <= sum(one.answers for one in found) <= 1
    assert all(0 <= one.relevance <= 1 for one in found)
    assert all(
        0 <= one.start <= one.end <= len(text) for one, text in zip(found, KNOWN, strict=True)
    )


def test_nothing_is_asked_of_no_memories_and_empty_texts_do_no_harm() -> None:
    assert answers("where do I work?", []) == []
    assert len(answers("", ["", "  "])) == 2


def test_a_long_memory_is_read_where_it_is_nearest() -> None:
    filler = "The weather that week was dull, and nothing much happened on the farm. " * 20

    [found] = answers("what is my blood type?", [f"{filler}My blood type is AB negative. {filler}"])

    assert found.relevance > 0.5


def test_the_vector_of_a_text_is_the_encoders() -> None:
    text = "My dog is called Rex"
    ids = [BEGIN, *(piece.id for piece in pieces_of(text)), END]

    assert summed(convolved([ids], encoder_weights())[0]) @ encoder().encode(text) > 0.9999


def test_texts_are_read_beside_each_other_as_alone() -> None:
    longer = f"{KNOWN[0]}, since the summer in which our second child was born"

    together = answers("where do I work?", [*KNOWN, longer])
    alone = [answers("where do I work?", [text])[0] for text in (*KNOWN, longer)]

    assert [one.relevance for one in together] == pytest.approx(
        [one.relevance for one in alone], rel=1e-4
    )


def test_nearness_is_that_of_equal_pieces_for_equal_texts() -> None:
    [text] = texts_of([pieces_of("I live in Ghent")])

    first, second, whole = nearness(text, text)

    assert np.allclose(first[:, 0], 1, atol=1e-5)
    assert np.allclose(first, second)
    assert whole[0] == pytest.approx(1, abs=1e-5)


def test_languages_are_told_apart() -> None:
    folder = Path(__file__).parents[2] / "reader/examples/held_out/people"
    people = [
        json.loads(line)
        for file in sorted(folder.glob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]
    told = [language_of(text) == one["lang"] for one in people for text in one["memories"]]

    assert sum(told) >= 0.92 * len(told)  # some have two words
    assert language_of("42 + 7") == "en"
