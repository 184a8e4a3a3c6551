"""Summaries are kept only if the person's words support them."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from assessor.language_model.grounding import is_grounded

LINES = Path(__file__).with_name("grounding.jsonl").read_text("utf-8").splitlines()
ROWS = [json.loads(line) for line in LINES]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("split", ["tuned", "held_out"])
def test_good_summaries_pass_and_vague_or_invented_ones_do_not(lang: str, split: str) -> None:
    passed = defaultdict(list)
    for row in ROWS:
        if (row["lang"], row["split"]) == (lang, split):
            passed[row["kind"]].append(is_grounded(row["summary"], row["said"]))

    share = {kind: sum(each) / len(each) for kind, each in passed.items()}
    assert share["good"] >= 0.95
    assert share["vague"] <= 0.05
    assert share["invented"] <= 0.15


@pytest.mark.parametrize(
    ("said", "summary", "supported"),
    [
        ("My cousin Rui keeps bees in Braga", "User's cousin Rui keeps bees in Braga", True),
        ("My cousin Rui keeps bees in Braga", "User's cousin Rui keeps bees in Lisbon", False),
        ("I saved 12 thousand euros for a car", "User saved 20 thousand euros for a car", False),
        ("I play every Thursday", "User plays on Thursdays", True),
        ("My cousin Rui keeps bees in Braga", "Your cousin Rui keeps bees in Braga", False),
        ("我表哥在布拉加养蜂", "你表哥在布拉加养蜂", False),
        ("Call me Sam, as you did", "You call the user Sam", True),
        ("", "User likes pizza", False),
        ("I like pizza", "", False),
        ("where do I live?", "where do I live?", False),
        ("我住在哪里？", "我住在哪里？", False),
    ],
)
def test_names_numbers_and_empty_texts(said: str, summary: str, supported: bool) -> None:
    assert is_grounded(summary, said) is supported
