"""In which order memories come back: signals in 0..1, profiles that weigh them, one linear score.

Recall computes the signals, a profile's weights turn them into contributions, and these add up to
the score that orders the result and that the user sees explained. SQL twin: `ranking_sql`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from memory.formulas.importance import clamp

SIGNALS: Final = ("semantic", "lexical", "recency", "importance")


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
            lexical=0.55,
            recency=0.05,
            importance=0.05,
            source="tuned by benchmarks/ on the development conversations",
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


def lexical(rank: float, best_rank: float) -> float:
    """Full-text rank as a share of the best hit's, in 0..1; 0 when nothing was hit."""
    return rank / best_rank if best_rank else 0.0


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
