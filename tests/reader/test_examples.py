"""The examples for the reader: their labels are those of the guide, and their spans occur."""

import json
from collections import Counter
from typing import Any

import pytest
from django.conf import settings

FOLDER = settings.BASE_DIR / "reader" / "examples"
VOICES = {
    "own", "request", "question", "small_talk", "others_words",
    "fiction", "hypothesis", "joke", "program", "steer",
}  # fmt: skip
TYPES = {"identity", "goal", "decision", "todo", "preference", "fact", "event", "observation"}
RELATIONS = {
    "relation": {"same", "ends", "narrows", "unrelated"},
    "answer": {"answers", "helps", "neither"},
}


def rows(folder: str) -> list[dict[str, Any]]:
    files = sorted((FOLDER / folder).glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("folder", ["statement", "held_out/statement"])
def test_messages_have_known_labels_and_their_spans(folder: str) -> None:
    messages = rows(folder)
    facts = [(message, fact) for message in messages for fact in message["facts"]]

    assert len({message["lang"] for message in messages}) == 15
    assert {message["voice"] for message in messages} == VOICES
    assert {fact["type"] for _, fact in facts} <= TYPES
    assert [fact for message, fact in facts if fact["span"] not in message["text"]] == []
    numbers = [fact[name] for _, fact in facts for name in ("importance", "P", "I", "J")]
    assert [number for number in numbers if not 0 <= number <= 1] == []
    assert [fact for _, fact in facts if not -1 <= fact["valence"] <= 1] == []


@pytest.mark.parametrize("folder", ["relation", "answer"])
def test_pairs_have_known_relations(folder: str) -> None:
    assert {row["relation"] for row in rows(folder)} == RELATIONS[folder]


def test_only_answers_have_a_span_and_it_is_in_the_memory() -> None:
    for row in rows("answer"):
        assert bool(row["span"]) == (row["relation"] == "answers")
        assert row["span"] in row["memory"]


def test_no_held_out_message_is_learned_from() -> None:
    texts = Counter(row["text"] for row in rows("statement"))

    assert [row["text"] for row in rows("held_out/statement") if row["text"] in texts] == []
