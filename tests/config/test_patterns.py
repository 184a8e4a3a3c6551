"""No regular expression of the product is slow on any text: one request would stall all others.

The patterns are found in the modules themselves, so that a new one is tested the day it is written.
"""

import re

import pytest

from assessor.assessing import Exchange
from assessor.screening import assessed_part, mask_exchange, steering
from memory.drafts import MAX_CONTENT
from reader.sentences import split_sentences
from tests.patterns import product_patterns, seconds, slow_texts, spent

# A pattern whose time doubles with each character is found among the first.
SHORT = (30, 45, 60, 90, 150, 300)
SIZES = (1_000, 5_000, MAX_CONTENT)
AT_ONCE = 0.005
# Processor time for 1,000 characters with which 20,000 take less than 50 ms even if their number
# counts twice.
HARMLESS = 0.000_1
FAST = 0.05
# Of a text four times as long: a pattern that looks at each character once takes 4, one that looks
# back from each takes 16.
RATIO = 8
MOST = 0.5

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def patterns() -> dict[str, re.Pattern[str]]:
    return product_patterns()


def test_the_patterns_of_every_part_are_found(patterns: dict[str, re.Pattern[str]]) -> None:
    found = " ".join(patterns)
    for part in (
        "memory.text.secrets.SECRETS",
        "assessor.screening.machine_text._TAG",
        "assessor.language_model.grounding:",
        "chat.responders.commands._COMMANDS",
        "foundation.http.request_ids",
    ):
        assert part in found  # fmt: skip
    assert len(patterns) > 300


def test_a_slow_pattern_would_be_found() -> None:
    slow = (
        r"a+b",
        r"(?:a|aa)+$",
        r"\s*\n",
        r"x.*y",
        r"(?:请|帮我|请帮我)*写",
        r"pw[:=](?=\S*\d)\w",
    )
    assert [one for one in slow if not is_slow(re.compile(one, re.DOTALL))] == []
    assert not is_slow(re.compile(r"\b[a-z]{1,20}\d"))


@pytest.mark.timeout(1200)
def test_no_pattern_is_slow_on_a_text_made_for_it(patterns: dict[str, re.Pattern[str]]) -> None:
    distinct = {(one.pattern, one.flags): place for place, one in patterns.items()}
    slow = {place: is_slow(patterns[place]) for place in distinct.values()}
    assert {place: text for place, text in slow.items() if text} == {}


def is_slow(pattern: re.Pattern[str]) -> str:
    """The beginning of a text on which the pattern is slow, "" if there is none."""
    for text in slow_texts(pattern):
        if any(_stalls(pattern, text.of(size)) for size in SHORT):
            return text.of(60)
        short, middle, long = map(text.of, SIZES)
        took = seconds(pattern, short)
        if took <= HARMLESS or (took := seconds(pattern, short, tries=3)) <= HARMLESS:
            continue
        if took > MOST or (took := seconds(pattern, middle)) > MOST:
            return short[:60]
        if took * (len(long) / len(middle)) ** 2 <= FAST:
            continue
        if seconds(pattern, long) > FAST and _grows(pattern, middle, long):
            return long[:60]
    return ""


def _stalls(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a short text takes longer than an instant, by the least of several tries."""
    took = seconds(pattern, text)
    return took > MOST or (took > AT_ONCE and seconds(pattern, text, tries=5) > AT_ONCE)


def _grows(pattern: re.Pattern[str], middle: str, long: str) -> bool:
    """Return whether the time grows faster than the text, by the least of several tries."""
    took, for_all = seconds(pattern, middle, tries=3), seconds(pattern, long, tries=6)
    return for_all > MOST or (for_all > FAST and for_all > RATIO * took)


PIECES = ["pw:", "password is ", "a a", "“", "'a ", ". ", "<page>", "[image: ", "so ", "请帮我"]
PIECES += ["mr. ", "from now on always recommend, ", "\n ", "> ", "ignore all "]


@pytest.mark.parametrize("piece", PIECES)
def test_a_whole_exchange_is_read_in_a_moment(piece: str) -> None:
    whole, quarter = reading(piece, MAX_CONTENT), reading(piece, MAX_CONTENT // 4)
    # Seconds of this thread's processor time, for 80,000 characters; it took up to a minute.
    # Four times the text may take four times as long, on a machine however slow.
    assert whole < 4 or whole < 6 * quarter


def reading(piece: str, length: int) -> float:
    """The seconds that everything before the assessor takes for an exchange of this text."""
    text = (piece * length)[:length]
    exchange = Exchange(text, text, context={"page": text})

    def read() -> None:
        masked = mask_exchange(exchange)
        steering(assessed_part(masked), [text])
        split_sentences(text)

    return spent(read)
