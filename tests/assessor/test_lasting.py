"""Short statements of everyday life: their lifetimes and types."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from assessor.local import LocalResult, assess
from memory.policy import PolicyDocument

RULES = PolicyDocument()
SAVED, MONTH, FOREVER = (
    RULES.assessment.store_above,
    RULES.ttl.medium_threshold,
    RULES.ttl.permanent_threshold,
)
LASTING = RULES.ttl.permanent_persistence
_KIND = re.compile(r"\[(?P<lang>\w\w) .*: (?P<keep>\w+) \| (?P<types>.*)\]")


def judged(text: str) -> LocalResult:
    return assess(text, "Okay.")


@pytest.mark.parametrize(
    "text",
    [
        "I have two daughters",
        "I have a twin brother",
        "I have a twin brother. Thanks!",
        "We have a golden retriever called Biscuit",
        "I grew up in Split",
        "My daughter Ana is allergic to peanuts",
        "My colleague Tom is called Tommy by everybody",
        "我有两个儿子",
        "I was adopted",
        "I get migraines",
        "我在成都长大",
        "我容易晕车",
    ],
)
def test_lasting_facts_are_kept_forever(text: str) -> None:
    assert judged(text).importance >= FOREVER


def test_news_are_kept() -> None:
    news = ["Didn't get the job :(", "I got the job!", "We broke up.", "She said yes!", "没考上"]
    kept = [one for one in map(judged, news) if one.importance >= SAVED]
    assert len(kept) >= 4
    assert "observation" not in [one.memory_type for one in kept]


def test_where_the_user_comes_from_is_core() -> None:
    by_facets = assess("I was adopted", "Okay.", with_facets=True).facets
    assert by_facets is not None
    assert by_facets.P == 1.0


@pytest.mark.parametrize("text", ["We just drank some tea", "我中午吃了碗面"])
def test_meals_are_not_saved(text: str) -> None:
    assert judged(text).importance < SAVED


@pytest.mark.parametrize(
    "text",
    [
        "My mother in law is visiting the week of December 7th.",
        "I have a dentist appointment on March 3rd.",
        "My visa expires on 9 August 2027.",
        "我下个月三号要去体检",
    ],
)
def test_appointments_are_kept_until_their_day_and_not_forever(text: str) -> None:
    assert MONTH <= judged(text).importance < FOREVER


@pytest.mark.parametrize(
    "text", ["I'm so tired", "I'm so tired today.", "To get to the other side!", "好累"]
)
def test_moods_and_jokes_are_not_saved(text: str) -> None:
    assert judged(text).importance < SAVED


@pytest.mark.parametrize(
    "text",
    ["I think tabs are better than spaces", "我觉得冬天比夏天好", "In my view, it's too dear"],
)
def test_an_opinion_is_no_goal(text: str) -> None:
    assert judged(text).memory_type in {"preference", "observation", "fact", "identity"}


def statements(name: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield language, how long it is to be kept, types and text of each line in worth/NAME.txt."""
    kind = None
    for line in Path(__file__).with_name("worth").joinpath(name).read_text("utf-8").splitlines():
        if found := _KIND.fullmatch(line):
            kind = found
        elif kind and line and not line.startswith("#"):
            yield kind["lang"], kind["keep"], kind["types"], line


def is_right(keep: str, importance: float) -> bool:
    """Return whether the default policy keeps it as long as a sensible person would."""
    if keep == "forever":
        return importance >= FOREVER
    if keep == "kept":
        return importance >= SAVED
    return importance < (FOREVER if keep == "brief" else SAVED)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_most_statements_are_kept_and_typed_as_a_person_would(lang: str) -> None:
    meant = [one for one in statements("held_out.txt") if one[0] == lang]
    found = [judged(text) for *_, text in meant]
    pairs = list(zip(meant, found, strict=True))
    right = [is_right(keep, one.importance) for (_, keep, _, _), one in pairs]
    assert sum(right) >= 0.8 * len(right)
    fits = [one.memory_type in types.split() for (_, _, types, _), one in pairs if types != "any"]
    assert sum(fits) >= 0.75 * len(fits)
