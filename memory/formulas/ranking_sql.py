"""SQL twin of `ranking`: the same functions as expressions over columns or plain numbers.

A signal is never NULL here: a score of NULL would sort before all others.
"""

import math
from collections.abc import Mapping
from functools import reduce
from operator import add

from django.db.models import Case, FloatField, IntegerField, When
from django.db.models.expressions import Expression
from django.db.models.functions import Cast, Coalesce, Floor, Greatest, Least, Ln
from django.db.models.lookups import LessThan

from memory.formulas.expressions import Flag, Number, double, exponential_decay, flag, float_result
from memory.formulas.importance_sql import clamp
from memory.formulas.ranking import (
    ENOUGH_ASKED,
    LONG,
    LONG_COST,
    OTHERS_SHARE,
    PAST_SHARE,
    SHORT_QUESTION,
    SHORT_TURN,
    UNCERTAINTY,
    Profile,
)


def semantic(cosine_distance: Number) -> Expression:
    """Return the cosine similarity in 0..1 from pgvector's cosine distance.

    The distance is clamped, not the similarity: PostgreSQL sorts NaN above every number, so
    otherwise a vector of zeros would match everything by 100%. The distance occurs once in the
    expression, to be computed once.
    """
    distance = Coalesce(double(cosine_distance), double(1.0))
    return float_result(double(1.0) - Least(double(1.0), Greatest(double(0.0), distance)))


def word_match(text_rank: Number) -> Expression:
    """Return how well a memory matches one word of the question, in 0..1; 0 for NULL."""
    return float_result(
        Least(
            double(1.0), Coalesce(double(text_rank), double(0.0)) * double(math.pi**2) / double(6.0)
        )
    )


def rarity(holders: Number, memories: Number) -> Expression:
    """Return the weight of a word, above 0. Source: the inverse document frequency of BM25."""
    without = double(memories) - double(holders) + double(0.5)
    return float_result(Ln(double(1.0) + without / (double(holders) + double(0.5))))


def substance(size: Number, *, spoken: Flag, asks: Flag) -> Expression:
    """Return how much a memory says, in 0..1: less for short turns and short questions."""
    one, short = double(1.0), LessThan(double(size), double(SHORT_QUESTION))
    if_asking = Case(When(flag(asks), then=double(0.5)), default=one)
    half = Case(When(short, then=if_asking), default=one)  # a long text is not read to its end
    said = Least(one, double(size) / double(SHORT_TURN))
    return Case(When(flag(spoken), then=half * said), default=one, output_field=FloatField())


def lexical(matched: Number, asked: Number, *, size: Number, substance: Number) -> Expression:
    """Return the share of the question's words that matched, in 0..1; 0 for NULL (no match)."""
    one, half = double(1.0), double(0.5)
    expected = Least(double(asked), double(ENOUGH_ASKED)) + double(UNCERTAINTY)
    share = Coalesce(float_result(double(matched) / expected), double(0.0))
    excess = Greatest(double(0.0), double(size) / double(LONG) - one)
    counted = Least(one, share) * (half + half * double(substance))
    return float_result(counted / (one + double(LONG_COST) * excess))


def recency(age_days: Number, scale_days: Number, *, whole_days: bool = False) -> Expression:
    """Return exp(-age / scale), in 0..1. Source: seed 000, Search Scoring Changes."""
    age = Floor(double(age_days)) if whole_days else double(age_days)
    return exponential_decay(float_result(age / double(scale_days)))


def contributions(signals: Mapping[str, Number], profile: Profile) -> dict[str, Expression]:
    """Return weight times signal for each signal the profile uses. KeyError when one is missing."""
    return {
        signal: float_result(double(weight) * double(signals[signal]))
        for signal, weight in profile.weights.items()
    }


def score(signals: Mapping[str, Number], profile: Profile) -> Expression:
    """Return the sum of the contributions."""
    return float_result(reduce(add, contributions(signals, profile).values(), double(0.0)))


def past_bonus(score: Number, past: Number) -> Expression:
    """Return what a question about the past adds to the score of a memory that was true then."""
    return float_result(double(PAST_SHARE) * double(past) * double(score))


def others_cost(score: Number, others: Number) -> Expression:
    """Return the negative number that a question about the user's own facts adds to the score of a
    memory about someone else.
    """
    return float_result(double(-OTHERS_SHARE) * double(others) * double(score))


def match_percent(similarity: Number) -> Expression:
    """Return the similarity as an integer percentage, 0..100, halves rounded up."""
    return Cast(Floor(clamp(similarity) * double(100.0) + double(0.5)), IntegerField())
