"""A message that only says how all answers should be becomes a preference: a standing rule."""

import pytest

from assessor.local import assess

STANDING = 0.5


WISHES = [
    "Answer in Portuguese from now on.",
    "Please always answer in short sentences.",
    "Thanks! Please keep your answers brief.",
    "please keep answers short, I read on my phone",
    "Reply in German please",
    "no emojis please",
    "Please use metric units.",
    "别用表情",
    "用英文回答",
    "以后请用中文回答我。",
]


def test_most_lasting_wishes_are_important_preferences() -> None:
    found = [assess(text, "OK.") for text in WISHES]
    kept = [one for one in found if one.memory_type == "preference" and one.importance >= STANDING]
    assert len(kept) > len(WISHES) / 2


@pytest.mark.parametrize(
    "text",
    [
        "Explain it in simple words.",
        "Answer in English: what is a noun?",
        "Please write the mail to my boss in French.",
        "Give me the steps in a table.",
        "Give me the answers to exercise 3.",
        "Rewrite it without emojis.",
        "Use metric units in the table.",
        "Always read the label before you buy.",
    ],
)
def test_a_wish_for_one_answer_is_no_standing_rule(text: str) -> None:
    found = assess(text, "OK.")
    assert found.memory_type != "preference" or found.importance < STANDING
