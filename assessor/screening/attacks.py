"""Finds text that tries to steer the judge, or to plant instructions for later.

Rules over wordings (attacks.toml), each for the origins where it is no honest wish: "from now on
always …" is the user's right and nobody else's. No model is asked, so none can be talked out of it.
What is found is held for a person, never thrown away; so a rule may err now and then on the side of
holding.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from assessor.judging import Exchange
from assessor.screening.provenance import Origin, Part, own_words, parts_of
from assessor.screening.words import as_read, words_of

_ANYONE = frozenset(Origin)
_OTHERS = _ANYONE - {Origin.USER}
_WHOSE = {
    "anyone": _ANYONE,
    "others": _OTHERS,
    # A model's summary speaks of "the user" by right.
    "said": _OTHERS - {Origin.SUMMARY},
    "shown": _OTHERS - {Origin.ASSISTANT},
    "pasted": _OTHERS - {Origin.ASSISTANT, Origin.SUMMARY},
}
# The assistant, and a summary, may take up what the user wished; this share of the words is enough.
_MAY_ECHO = frozenset({Origin.ASSISTANT, Origin.SUMMARY})
_ECHOED = 0.5
_QUOTED_LENGTH = 160
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")


@dataclass(frozen=True)
class Finding:
    """Why an exchange is held: what the words do, whose they are, and the words."""

    does: str
    origin: Origin
    quote: str

    @property
    def reason(self) -> str:
        """One line for people."""
        return f"In {self.origin.value}: {self.does}: “{self.quote}”"


@dataclass(frozen=True)
class _Rule:
    does: str
    origins: frozenset[Origin]
    pattern: re.Pattern[str]
    unless_wished: bool


def _load_rules() -> Sequence[_Rule]:
    text = resources.files(__package__).joinpath("attacks.toml").read_text("utf-8")
    data = tomllib.loads(text)
    fragments: dict[str, str] = data["fragments"]

    def expanded(pattern: str) -> str:
        lines = "".join(line.strip() for line in pattern.splitlines())
        return re.sub(r"\{\{(\w+)\}\}", lambda name: expanded(fragments[name[1]]), lines)

    return [
        _Rule(
            rule["does"],
            _WHOSE[rule["whose"]],
            re.compile("|".join(map(expanded, rule["patterns"])), re.IGNORECASE | re.MULTILINE),
            rule.get("unless_wished", False),
        )
        for rule in data["rules"]
    ]


_RULES = _load_rules()


def screen(exchange: Exchange, summary: str = "") -> Finding | None:
    """What tries to steer the judge or to plant an instruction, in the exchange as it is judged or
    in the summary made of it; None where nothing does."""
    wishes = words_of(as_read(own_words(exchange)))
    said = " ".join(as_read(exchange.user_message).split())
    for part in [*parts_of(exchange), Part(summary, Origin.SUMMARY)]:
        text = as_read(part.text)
        for rule in _RULES:
            if part.origin not in rule.origins:
                continue
            for sentence in _matching(rule, text):
                wished = rule.unless_wished and part.origin in _MAY_ECHO
                # A summary in the user's own words was screened with them, origin by origin.
                again = part.origin is Origin.SUMMARY and sentence.rstrip("…") in said
                if not again and not (wished and _echoes(sentence, wishes)):
                    return Finding(rule.does, part.origin, sentence[:_QUOTED_LENGTH])
    return None


def _matching(rule: _Rule, text: str) -> Iterator[str]:
    """The sentences in which the rule finds its wording, each on one line."""
    for match in rule.pattern.finditer(text):
        before = [end.end() for end in _SENTENCE_END.finditer(text, 0, match.start())]
        after = _SENTENCE_END.search(text, match.end())
        sentence = text[before[-1] if before else 0 : after.end() if after else len(text)]
        yield " ".join(sentence.split())


def _echoes(sentence: str, wishes: set[str]) -> bool:
    """Whether the sentence says what the user asked for in words of their own."""
    words = words_of(sentence)
    return bool(words) and len(words & wishes) >= _ECHOED * len(words)
