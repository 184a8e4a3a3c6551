"""In which order memories come back: signals in 0..1, profiles that weigh them, one linear score.

Recall computes the signals, a profile's weights turn them into contributions, and these add up to
the score that orders the result and that the user sees explained. SQL twin: `ranking_sql`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from memory.formulas.importance import clamp

SIGNALS: Final = ("semantic", "lexical", "speaker", "recency", "importance")

UNCERTAINTY: Final = 6.0
"""How much must be known of a question before its words count: see `lexical`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A named way to rank: a weight for each signal, and what else its source asks for.

    `order` is what the result is sorted by, the highest or newest first. With `candidates` set to
    "importance" only the memories that matter most now (as many as the policy's `candidate_limit`)
    are ranked at all. `limit` is how many come back, where the profile's source says so. `source`
    names that source.
    """

    name: str
    semantic: float = 0.0
    lexical: float = 0.0
    speaker: float = 0.0
    recency: float = 0.0
    importance: float = 0.0
    order: Literal["score", "created_at"] = "score"
    candidates: Literal["importance"] | None = None
    limit: int | None = None
    source: str

    @property
    def weights(self) -> dict[str, float]:
        """The signals this profile uses and their weights; one that weighs nothing is left out."""
        weights = {
            "semantic": self.semantic,
            "lexical": self.lexical,
            "speaker": self.speaker,
            "recency": self.recency,
            "importance": self.importance,
        }
        return {signal: weight for signal, weight in weights.items() if weight}


PROFILES: Final[Mapping[str, Profile]] = {
    profile.name: profile
    for profile in (
        Profile(
            name="hybrid",
            semantic=1.0,
            lexical=1.5,
            speaker=0.15,
            recency=0.05,
            importance=0.05,
            source="ours; docs/ranking.md says what was tried and what it gave",
        ),
        Profile(
            name="similar_recent",
            semantic=0.6,
            recency=0.4,
            source="seed 000, Search Scoring Changes",
        ),
        Profile(
            name="typed",
            semantic=1.0,
            importance=0.2,
            source="seed 002, AC-4; the size of the boost is ours",
        ),
        Profile(
            name="vivid",
            semantic=1.0,
            candidates="importance",
            limit=3,
            source="seed 003, sections 1.5 and 5",
        ),
        Profile(
            name="combined",
            semantic=1.0,
            recency=0.2,
            importance=0.1,
            source="seed 004, Scoring System",
        ),
        Profile(name="relevance", semantic=1.0, source="seed 004, memory_load"),
        Profile(name="date", order="created_at", source="seed 004, memory_load"),
    )
}
"""Every profile there is, by name. A new one is one more entry here."""

DEFAULT_PROFILE: Final = "hybrid"


def semantic(cosine_distance: float | None) -> float:
    """Cosine similarity in 0..1 from pgvector's cosine distance (0..2); shown as "92% match".

    Opposite meanings are no match. Nor is a memory without a vector yet (None), or with one of
    zeros, to which pgvector gives the distance NaN.
    """
    if cosine_distance is None or math.isnan(cosine_distance):
        return 0.0
    return 1.0 - clamp(cosine_distance)


def word_match(text_rank: float) -> float:
    """How well a memory answers one word of the question, in 0..1.

    `text_rank` is ts_rank of that word alone, 6/π² times the weight of its label for a word that
    stands there once; more often, it approaches the weight from above. Source: PostgreSQL,
    calc_rank_or in tsrank.c.
    """
    return min(1.0, text_rank * math.pi**2 / 6)


def rarity(holders: int, memories: int) -> float:
    """How much a word tells, above 0: one that half of the memories hold, little.

    Source: the inverse document frequency of BM25 (Robertson and Zaragoza 2009, section 3), with
    1 added inside the logarithm, as Lucene does, so that it never turns negative.
    """
    return math.log(1.0 + (memories - holders + 0.5) / (holders + 0.5))


def lexical(matched: float, asked: float) -> float:
    """The share of the question's words that was matched, each by its rarity, in 0..1.

    `matched` is the sum of word_match times rarity, `asked` the sum of the rarities. Not divided by
    the best hit's: then one stray word would be worth as much as the whole question. And words are
    trusted as far as there is something to tell them by: in a space of a dozen memories, or of a
    question of one word, even a full match stays well below 1.
    """
    return matched / (asked + UNCERTAINTY)


def recency(age_days: float, scale_days: float) -> float:
    """exp(-age / scale), in 0..1. `scale_days` is above 0.

    Source: seed 000, Search Scoring Changes, which calls the scale `recency_half_life` (the signal
    is 1/e there, not one half) and cuts the age to whole days. We keep the fraction: of two things
    said today, the later one is the more recent.
    """
    return math.exp(-age_days / scale_days)


def contributions(signals: Mapping[str, float], profile: Profile) -> dict[str, float]:
    """Weight times signal, for each signal the profile uses. KeyError when one of them is missing.

    A profile that sorts by date uses none, and its score is 0.
    """
    return {signal: weight * signals[signal] for signal, weight in profile.weights.items()}


def score(signals: Mapping[str, float], profile: Profile) -> float:
    """The sum of the contributions. Sources: the profile's."""
    return sum(contributions(signals, profile).values(), start=0.0)


def match_percent(similarity: float) -> int:
    """Similarity as whole percent, 0..100, halves rounded up: the 92 of "92% match" (seed 000)."""
    return math.floor(clamp(similarity) * 100 + 0.5)
