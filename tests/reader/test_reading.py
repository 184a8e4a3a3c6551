"""The reader: pieces have their place in the text, and a reading its promised form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reader import Message, read
from reader.statement import ABOUT, FACETS, STEPS, TYPES, VOICES, WINDOW
from reader.vocabulary import BEGIN, END, encoder, pieces_of

TEXTS = [
    "I'm Nadia, I work in Ghent",
    "我叫张伟，住在上海。",
    "ﬁne １２３ für Straße",
    "ผมชอบกินข้าว",
    "",
]


@pytest.mark.parametrize("text", TEXTS[:-1])
def test_the_pieces_are_those_of_the_encoder(text: str) -> None:
    ours = [BEGIN, *(piece.id for piece in pieces_of(text)), END]

    assert ours == encoder()._tokenizer.encode(text, out_type=int, add_bos=True, add_eos=True)


@pytest.mark.parametrize("text", TEXTS)
def test_the_pieces_cover_all_letters_in_order(text: str) -> None:
    places = [(piece.start, piece.end) for piece in pieces_of(text)]

    assert places == sorted(places)
    covered = {i for start, end in places for i in range(start, end)}
    assert covered == {i for i, letter in enumerate(text) if not letter.isspace()}


@given(st.text(max_size=300), st.text(max_size=50))
def test_any_text_has_a_reading_within_its_bounds(text: str, before: str) -> None:
    found = read(Message(text, before))

    assert 0 <= found.worth <= 1
    assert 0 <= found.importance <= 1
    assert tuple(found.voices) == VOICES
    assert sum(found.voices.values()) == pytest.approx(1, abs=0.001)
    for fact in found.facts:
        assert 0 <= fact.start <= fact.end <= len(text)
        assert fact.type in TYPES
        assert fact.about in ABOUT
        assert tuple(fact.facets) == FACETS
        assert fact.facets["P"] in STEPS
        assert -1 <= fact.facets["valence"] <= 1


def test_the_same_text_has_the_same_reading() -> None:
    message = Message("I moved to Turin in May", "Where do you live?")

    assert read(message) == read(message)


def test_each_fact_has_its_place() -> None:
    text = "I'm Nadia, I work nights as a paramedic in Ghent and I have two kids"
    facts = [text[fact.start : fact.end] for fact in read(Message(text)).facts]

    assert len(facts) >= 2
    assert any("paramedic" in fact for fact in facts)
    assert any("kids" in fact for fact in facts)


def test_a_long_message_is_read_to_its_end() -> None:
    text = f"{'Work was long again today, and my tram was late. ' * 60}I am allergic to penicillin."
    assert len(pieces_of(text)) > 2 * WINDOW

    facts = read(Message(text)).facts

    assert any("penicillin" in text[fact.start : fact.end] for fact in facts)


def test_a_turn_before_it_says_what_an_answer_means() -> None:
    asked = read(Message("Luna", "What is your dog called?"))

    assert asked.worth > read(Message("Luna", "Which moon goddess did the Romans have?")).worth
