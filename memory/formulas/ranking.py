"""Ranking of memories: signals in 0..1, profiles that weight them, one linear score.

Recall computes the signals, a profile's weights turn them into contributions, and their sum is the
score that orders the result and is explained to the user. SQL twin: `ranking_sql`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from memory.formulas.importance import clamp

SIGNALS: Final = ("semantic", "lexical", "speaker", "recency", "importance")

UNCERTAINTY: Final = 6.0
"""Evidence needed before a question's words count, in units of rarity: see `lexical`."""
ENOUGH_ASKED: Final = 24.0
"""More evidence than this is not expected from one memory, because a long message asks for
several.
"""
LONG: Final = 360
"""Bytes of a memory (60 English words, 120 Chinese characters) above which its words count less."""
LONG_COST: Final = 0.2
"""The reduction for each further LONG bytes."""

PAST_SHARE: Final = 2.0
"""The maximum bonus, as a multiple of its score, for a memory in a question about the time when it
was true.
"""

OTHERS_SHARE: Final = 0.8
"""The share of its score that a memory about someone else loses in a question about the user's own
facts.
"""

SHORT_TURN: Final = 50
"""Bytes from which a turn counts as saying something. The words of "Thanks, you too!" count little
more than half.
"""
SHORT_QUESTION: Final = 150
"""Bytes below which a turn that ends as a question counts as a mere question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A named way to rank: a weight for each signal, and further rules of its source.

    The result is sorted by `order`, highest or newest first. With `candidates` set to "importance"
    only the currently most important memories are ranked (as many as the policy's
    `candidate_limit`). `limit` is the number of results, if the profile's source sets one. With
    `whole_days` the recency counts complete days. `source` names the profile's source.
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
    whole_days: bool = False
    source: str

    @property
    def weights(self) -> dict[str, float]:
        """The signals this profile uses, with their weights; weights of 0 are left out."""
        weights = {
            "semantic": self.semantic,
            "lexical": self.lexical,
            "speaker": self.speaker,
            "recency": self.recency,
            "importance": self.importance,
        }
        return {signal: weight for signal, weight in weights.items() if weight}

    def trusting(self, trust: float) -> "Profile":
        """Return the profile with its semantic weight multiplied by `trust`, unless the profile
        does not compare words: then nothing else could find a memory."""
        if trust == 1.0 or not self.lexical:
            return self
        return replace(self, semantic=self.semantic * trust)


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
            source="ours; docs/benchmarks.md says what was tried and what it gave",
        ),
        Profile(
            name="similar_recent",
            semantic=0.6,
            recency=0.4,
            whole_days=True,
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
"""All profiles, by name. Add a new profile as one more entry here."""

DEFAULT_PROFILE: Final = "hybrid"


def semantic(cosine_distance: float | None) -> float:
    """Return the cosine similarity in 0..1 from pgvector's cosine distance (0..2); shown as "92%
    match".

    Opposite meanings give 0. So do a memory without a vector yet (None) and a vector of zeros, for
    which pgvector returns the distance NaN.
    """
    if cosine_distance is None or math.isnan(cosine_distance):
        return 0.0
    return 1.0 - clamp(cosine_distance)


def word_match(text_rank: float) -> float:
    """Return how well a memory matches one word of the question, in 0..1.

    `text_rank` is ts_rank of that word alone: 6/π² times the weight of its label for a single
    occurrence; with more occurrences it approaches the weight from above. Source: PostgreSQL,
    calc_rank_or in tsrank.c.
    """
    return min(1.0, text_rank * math.pi**2 / 6)


def rarity(holders: int, memories: int) -> float:
    """Return the weight of a word, above 0; small for a word that half of the memories contain.

    Source: the inverse document frequency of BM25 (Robertson and Zaragoza 2009, section 3), with 1
    added inside the logarithm, as Lucene does, so that it is never negative.
    """
    return math.log(1.0 + (memories - holders + 0.5) / (holders + 0.5))


def substance(size: float, *, spoken: bool, asks: bool) -> float:
    """Return how much a memory says, in 0..1: less for short turns and short questions.

    `size` is its length in bytes; `spoken` if it is the turn of a named speaker, which is kept
    whatever it says; `asks` if it ends as a question. A memory that someone wrote down counts 1.
    """
    if not spoken:
        return 1.0
    half = 0.5 if asks and size < SHORT_QUESTION else 1.0
    return half * min(1.0, size / SHORT_TURN)


def lexical(matched: float, asked: float, *, size: float, substance: float) -> float:
    """Return the share of the question's words that matched, each weighted by its rarity, in 0..1.

    `matched` is the sum of word_match times rarity, `asked` the sum of the rarities, `size` the
    memory's length in bytes. The share is not divided by the best hit's: one stray word would then
    count as much as the whole question. With little evidence the signal stays low: in a space of a
    dozen memories, or for a question of one word, even a full match is well below 1.

    A long message does not ask for all of its words, so evidence above ENOUGH_ASKED is not
    expected. A long memory contains many words by chance, so its share counts less; so does that of
    a memory without `substance`, down to half.
    """
    share = min(1.0, matched / (min(asked, ENOUGH_ASKED) + UNCERTAINTY))
    return share * (0.5 + 0.5 * substance) / (1.0 + LONG_COST * max(0.0, size / LONG - 1.0))


def recency(age_days: float, scale_days: float, *, whole_days: bool = False) -> float:
    """Return exp(-age / scale), in 0..1. `scale_days` is above 0.

    Source: seed 000, Search Scoring Changes, which calls the scale `recency_half_life` (the signal
    is 1/e there, not one half). It counts `whole_days`. The other profiles keep the fraction, so
    that of two memories from today the later one is more recent.
    """
    return math.exp(-(math.floor(age_days) if whole_days else age_days) / scale_days)


def contributions(signals: Mapping[str, float], profile: Profile) -> dict[str, float]:
    """Return weight times signal for each signal the profile uses. KeyError when one is missing.

    A profile that sorts by date uses none, and its score is 0.
    """
    return {signal: weight * signals[signal] for signal, weight in profile.weights.items()}


def score(signals: Mapping[str, float], profile: Profile) -> float:
    """Return the sum of the contributions. The profile names the source."""
    return sum(contributions(signals, profile).values(), start=0.0)


def past_bonus(score: float, past: float) -> float:
    """Return what a question about the past adds to the score of a memory that was true then.

    `past` is 0 for a memory that is true now, a half for one that was true then, and 1 for one that
    was superseded by the thing named in the question ("before Porto"). So a superseded memory comes
    before its successor, although the successor often shares more words with the question.
    """
    return PAST_SHARE * past * score


def others_cost(score: float, others: float) -> float:
    """Return the negative number that a question about the user's own facts adds to the score of a
    memory about someone else. `others` is 1 for such a memory, otherwise 0.

    In a small space, such a memory often contains all words of the question and the user's own fact
    none. Only a large deduction lets the meaning decide.
    """
    return -OTHERS_SHARE * others * score


def match_percent(similarity: float) -> int:
    """Return the similarity as an integer percentage, 0..100, halves rounded up: the 92 of "92%
    match" (seed 000).
    """
    return math.floor(clamp(similarity) * 100 + 0.5)
