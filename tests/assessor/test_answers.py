"""Answers of real models in place of the requested JSON: repaired or refused, and never guessed at.

Each case is the whole text of an answer.
"""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from assessor.language_model.answers import FacetAssessment, MemoryAssessment, omitted_from

GOOD: dict[str, Any] = {
    "importance": 0.7,
    "memory_type": "preference",
    "summary": "User likes pizza",
    "tags": ["food"],
    "topics": ["Food"],
    "reasoning": "A lasting like",
}
TEXT = json.dumps(GOOD)


def text(**changes: Any) -> str:
    return json.dumps(GOOD | changes, ensure_ascii=False)


def without(*names: str) -> str:
    return json.dumps({name: value for name, value in GOOD.items() if name not in names})


def with_number(number: str) -> str:
    """The answer with this text, quoted or not, where the importance stands."""
    return TEXT.replace("0.7", number)


# name: (the answer, what is read otherwise than in GOOD)
REPAIRED: dict[str, tuple[str, dict[str, Any]]] = {
    "as asked": (TEXT, {}),
    "in a fence": (f"```json\n{TEXT}\n```", {}),
    "in a fence without a language": (f"```\n{TEXT}\n```", {}),
    "after a sentence": (f"Sure! Here is the assessment:\n\n{TEXT}", {}),
    "before a sentence": (f"{TEXT}\n\nLet me know if you need anything else.", {}),
    "between sentences with braces": (f"As {{asked}}: {TEXT} Done.", {}),
    "after thinking aloud": (f'<think>Maybe {{"importance": 0.2}}?</think>\n{TEXT}', {}),
    "after thinking without a beginning": (f'Maybe {{"importance": 0.2}}?</think>\n{TEXT}', {}),
    "about thinking aloud": (
        text(summary="User hides <think> in </think> tags"),
        {"summary": "User hides <think> in </think> tags"},
    ),
    "in an assessment": (json.dumps({"assessment": GOOD}), {}),
    "in half a wrapper": ('{"assessment": ' + TEXT, {}),
    "in two wrappers": (json.dumps({"result": {"memory": GOOD}}), {}),
    "in a list of one": (f"[{TEXT}]", {}),
    "with a byte order mark": (f"\ufeff{TEXT}", {}),
    "as Python": (str(GOOD), {}),
    "as Python with None": (str(GOOD | {"reasoning": None}), {"reasoning": ""}),
    "with a trailing comma": (TEXT[:-1] + ",}", {}),
    "with a comment": (TEXT[:-1] + "} // done".replace("}", "\n/* a like */}"), {}),
    "with names without quotes": (TEXT.replace('"importance"', "importance"), {}),
    "with a line break in a string": (
        TEXT.replace("likes pizza", "likes\npizza"),
        {"summary": "User likes\npizza"},
    ),
    "with names in capitals": (TEXT.replace('"importance"', '"Importance"'), {}),
    "with another name for the type": (TEXT.replace("memory_type", "type"), {}),
    "with another name for the reason": (TEXT.replace("reasoning", "reason"), {}),
    "with fields nobody asked for": (text(confidence="high"), {}),
    "importance as text": (with_number('"0.7"'), {}),
    "importance as percent": (with_number('"70%"'), {}),
    "importance without a leading zero": (with_number('".7"'), {}),
    "importance 1": (with_number("1"), {"importance": 1.0}),
    "importance 0": (with_number("0"), {"importance": 0.0}),
    "type in capitals": (text(memory_type="PREFERENCE"), {}),
    "type in the plural": (text(memory_type="preferences"), {}),
    "type with a hyphen": (text(memory_type="to-do"), {"memory_type": "todo"}),
    "type null": (text(memory_type=None), {"memory_type": "observation"}),
    "no type": (without("memory_type"), {"memory_type": "observation"}),
    "tags in capitals": (text(tags=["FOOD"]), {}),
    "tags as hashtags": (text(tags=["#food"]), {}),
    "tags in one text": (text(tags="food, Italian"), {"tags": ["food", "italian"]}),
    "tags in Chinese": (text(tags="美食、披萨"), {"tags": ["美食", "披萨"]}),
    "tags twice": (text(tags=["food", "Food", "food "]), {}),
    "fourteen tags": (
        text(tags=[f"t{n}" for n in range(14)]),
        {"tags": [f"t{n}" for n in range(10)]},
    ),
    "an empty tag": (text(tags=["", None, "food"]), {}),
    "topics null": (text(topics=None), {"topics": []}),
    "no topics": (without("topics"), {"topics": []}),
    "one topic as text": (text(topics="Food, drink"), {"topics": ["Food, drink"]}),
    "seven topics": (text(topics=list("abcdefg")), {"topics": list("abcde")}),
    "no reason": (without("reasoning"), {"reasoning": ""}),
    "reason null": (text(reasoning=None), {"reasoning": ""}),
    "blanks around the summary": (text(summary="  User likes pizza \n"), {}),
}

REFUSED: dict[str, str] = {
    "nothing": "",
    "prose": "I would give this an importance of 0.7.",
    "a refusal": "I'm sorry, but I can't help with that.",
    "an empty object": "{}",
    "half": TEXT[: len(TEXT) // 2],
    "all but the end": TEXT[:-1],
    "a number": "0.7",
    "a list of nothing": "[]",
    "another object": '{"error": "overloaded"}',
    "a thought that never ended": f"<think>Perhaps {TEXT} But",
    "two answers": f"{TEXT}\n{text(importance=0.1)}",
    "the example and the answer": f"Format: {TEXT} Answer: {text(summary='User moved')}",
    "a field twice in the same words": TEXT.replace("{", '{"importance": 0.2, ', 1),
    "a field twice as Python": str(GOOD).replace("{", "{'importance': 0.2, ", 1),
    "a field twice": TEXT.replace("{", '{"Importance": 0.2, ', 1),
    "importance 7": with_number("7"),
    "importance 70": with_number("70"),
    "importance of ten": with_number('"7/10"'),
    "importance in words": with_number('"high"'),
    "importance true": with_number("true"),
    "importance null": with_number("null"),
    "importance NaN": with_number("NaN"),
    "importance without end": with_number("Infinity"),
    "importance below 0": with_number("-0.1"),
    "importance in a list": with_number("[0.7]"),
    "no importance": without("importance"),
    "no summary": without("summary"),
    "an empty summary": text(summary=" "),
    "a summary in parts": text(summary=["User", "likes pizza"]),
    "an endless summary": text(summary="pizza " * 1000),
    "no tags": without("tags"),
    "an empty list of tags": text(tags=[]),
    "tags as objects": text(tags=[{"name": "food"}]),
    "an endless tag": text(tags=["x" * 61]),
    "a type nobody knows": text(memory_type="gossip"),
    "two types": text(memory_type="fact or preference"),
    "a character that cannot be stored": text(summary="a\x00b"),
    "nested without end": '{"importance": ' * 50_000,
    "an HTML page": "<html><body>502 Bad Gateway</body></html>",
}


@pytest.mark.parametrize("name", REPAIRED)
def test_what_is_certain_is_repaired(name: str) -> None:
    answer, otherwise = REPAIRED[name]
    assert MemoryAssessment.model_validate(answer).model_dump() == GOOD | otherwise


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_certain_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        MemoryAssessment.model_validate(REFUSED[name])


FACETS = {"P": 1.0, "valence": -0.4, "intensity": 0.5, "I": 0.2, "J": 0.6}
FACET_ANSWER = {name: GOOD[name] for name in GOOD if name != "importance"} | FACETS


def test_facets_are_read_in_either_case() -> None:
    lower = {name.lower(): value for name, value in FACET_ANSWER.items()}
    for answer in (FACET_ANSWER, lower, lower | {"p": "1.0", "valence": "-0.4"}):
        read = FacetAssessment.model_validate(json.dumps(answer))
        assert read.facets.model_dump() == FACETS | {"E": None}


@pytest.mark.parametrize(
    "wrong",
    [{"P": 1.5}, {"P": None}, {"valence": -2}, {"intensity": "strong"}, {"J": True}, {"I": -0.1}],
    ids=repr,
)
def test_facets_out_of_their_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        FacetAssessment.model_validate(json.dumps(FACET_ANSWER | wrong))


def test_tags_and_topics_beyond_the_limits_are_noted() -> None:
    """Seed 001, "System Prompt": "1-10 tags maximum", "0-5 topics maximum"."""
    answer = text(tags=[f"T{n}" for n in range(12)] + ["t0"], topics=[*"abcdef", "a NUL: \x00"])
    assert omitted_from(answer) == {"tags": ["t10", "t11"], "topics": ["f", "a NUL: \ufffd"]}
    assert omitted_from(TEXT) == {"tags": [], "topics": []}
    assert omitted_from(text(topics=None)) == {"tags": [], "topics": []}
