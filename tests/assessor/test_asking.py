"""Requests and suppositions tell nothing about the user: they are not saved, or not for long."""

import tomllib
from pathlib import Path

import pytest

from assessor.local import assess
from memory.policy import PolicyDocument

RULES = PolicyDocument()


def importance(text: str) -> float:
    return assess(text, "Sure.").importance


@pytest.mark.parametrize(
    "text",
    [
        "Tell me something about my sister",
        "Tell me about my nephew",
        "Recommend me a film",
        "Can you shorten this for me",
        "Hi! Tell me about my trip to Rome",
        "晚饭帮我推荐个菜吧",
    ],
)
def test_a_request_is_not_saved(text: str) -> None:
    assert importance(text) < RULES.assessment.store_above


@pytest.mark.parametrize(
    "text",
    [
        "Recommend me a film, my daughter hates horror",
        "Write a toast for my sister Ana's wedding in Porto in June",
        "Recommend a restaurant. I'm allergic to nuts.",
        "buy stamps before noon",
    ],
)
def test_a_request_that_tells_something_is_saved(text: str) -> None:
    assert importance(text) > RULES.assessment.store_above


@pytest.mark.parametrize(
    "text",
    ["If I lived in Paris, I would eat croissants every day", "如果我住在巴黎，我会每天吃羊角面包"],
)
def test_a_supposition_is_not_kept_for_long(text: str) -> None:
    assert importance(text) < RULES.ttl.low_threshold


def test_messages_are_told_apart() -> None:
    text = Path(__file__).with_name("asking_held_out.toml").read_text("utf-8")
    messages = tomllib.loads(text)
    found = {kind: [importance(text) for text in texts] for kind, texts in messages.items()}
    assert sum(one >= RULES.assessment.store_above for one in found["asks"]) <= 2
    assert sum(one >= RULES.ttl.low_threshold for one in found["supposes"]) <= 2
    assert sum(one <= RULES.ttl.low_threshold for one in found["tells"]) < len(found["tells"]) / 2


@pytest.mark.parametrize("text", ["hi", "ok", "thanks", "lol"])
def test_small_talk_after_an_answer_tells_nothing(text: str) -> None:
    answer = "Mara has a daughter, Ines (7), and a son, Theo (4)."
    assert assess(text, earlier=[answer]).importance < RULES.assessment.store_above
