"""Finds text that tries to steer the assessor or to plant instructions for later.

Rules over phrases (attacks.toml), each with the origins where it is suspicious: "from now on always
…" is legitimate only from the user. No model is asked, so none can be manipulated. A finding sends
the memory to review and never discards it, so a rule may have false positives.
"""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from assessor.assessing import Exchange
from assessor.screening.disguises import decoded_parts, undisguised
from assessor.screening.provenance import Origin, Part, own_words, parts_of
from assessor.screening.words import words_of
from memory.models.reasons import because

_ANYONE = frozenset(Origin)
_OTHERS = _ANYONE - {Origin.USER}
_WHOSE = {
    "anyone": _ANYONE,
    "others": _OTHERS,
    # A model's summary mentions "the user" legitimately.
    "said": _OTHERS - {Origin.SUMMARY},
    "shown": _OTHERS - {Origin.ASSISTANT},
    "pasted": _OTHERS - {Origin.ASSISTANT, Origin.SUMMARY},
}
# The assistant and a summary may repeat the user's wish, if they share this part of its words.
_MAY_ECHO = frozenset({Origin.ASSISTANT, Origin.SUMMARY})
_ECHOED = 0.5
QUOTED_LENGTH = 160
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")


@dataclass(frozen=True)
class Finding:
    """The reason for a review: the effect of the words, their origin, and the words.

    `probability` is that of the classifier (suspicion.py); None if a rule found the words.
    """

    does: str
    origin: Origin
    quote: str
    probability: float | None = None

    @property
    def reason(self) -> str:
        """The finding as one line for people."""
        sure = "" if self.probability is None else f"{self.probability:.0%}"
        return because(f"In {self.origin.value}: {self.does}", self.quote, sure=sure)


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
    """Return the first attempt to steer the assessor or plant an instruction, or None.

    Checks the exchange as it is assessed, and the summary made of it.
    """
    wishes = words_of(undisguised(own_words(exchange)))
    said = " ".join(undisguised(exchange.user_message).split())
    parts = parts_of(exchange)
    for part in [*parts, *decoded_parts(parts), Part(summary, Origin.SUMMARY)]:
        text = undisguised(part.text)
        for rule in _RULES:
            if part.origin not in rule.origins:
                continue
            for sentence in _matching(rule, text):
                wished = rule.unless_wished and part.origin in _MAY_ECHO
                # Sentences quoted from the user's message were already screened by their origin.
                again = part.origin is Origin.SUMMARY and sentence.rstrip("…") in said
                if not again and not (wished and _echoes(sentence, wishes)):
                    return Finding(rule.does, part.origin, sentence[:QUOTED_LENGTH])
    return None


def _matching(rule: _Rule, text: str) -> Iterator[str]:
    """Yield the sentences that match the rule, each on one line."""
    matches = list(rule.pattern.finditer(text))
    ends = [0, *(end.end() for end in _SENTENCE_END.finditer(text) if matches), len(text)]
    begun = -1
    for match in matches:
        begin = bisect_right(ends, match.start()) - 1
        if begin != begun:
            begun = begin
            end = min(bisect_right(ends, match.end()), len(ends) - 1)
            yield " ".join(text[ends[begin] : ends[end]].split())


def _echoes(sentence: str, wishes: set[str]) -> bool:
    """Return whether the user's own wishes contain enough of the sentence's words."""
    words = words_of(sentence)
    return bool(words) and len(words & wishes) >= _ECHOED * len(words)
