"""SQL twin of `importance`: the same functions as expressions over columns or plain numbers.

NULL gives NULL, except in `time_coef`, where a memory without an age counts as infinitely old.
"""

from django.db.models import Case, FloatField, Value, When
from django.db.models.expressions import Expression
from django.db.models.functions import Greatest, Least, Ln
from django.db.models.lookups import GreaterThanOrEqual, IsNull, LessThan

from memory.formulas.expressions import (
    Flag,
    Moment,
    Number,
    double,
    exponential_decay,
    flag,
    float_result,
    moment,
    product,
    seconds_between,
)
from memory.formulas.importance import (
    ADJUSTMENT_BOUND,
    ADJUSTMENT_DOUBT,
    ADJUSTMENT_WEIGHTS,
    EMOTION_WEIGHT,
    INFORMATION_WEIGHT,
    JUDGEMENT_WEIGHT,
    NEGATIVE_EMOTION,
    PERSISTENCE_WEIGHT,
    POSITIVE_EMOTION,
    REINFORCEMENT,
    TIME_COEF_FLOOR,
    TIME_COEF_SCALE_DAYS,
)

SECONDS_A_DAY = 86400


def clamp(value: Number) -> Expression:
    """Return the value, clamped to 0..1; NULL for NULL, where greatest and least would give 1."""
    number = double(value)
    return Case(
        When(IsNull(number, False), then=Greatest(double(0.0), Least(double(1.0), number))),
        output_field=FloatField(),
    )


def emotion(valence: Number, intensity: Number) -> Expression:
    """Return E in 0..1 from valence (-1..1) and intensity (0..1). Source: seed 003, section 2.2."""
    sign = double(valence)
    share = Case(
        When(LessThan(sign, double(0.0)), then=double(NEGATIVE_EMOTION)),
        When(GreaterThanOrEqual(sign, double(0.0)), then=double(POSITIVE_EMOTION)),
        output_field=FloatField(),
    )
    return clamp(product(share, double(intensity)))


def base_importance(
    persistence: Number, emotion: Number, information: Number, judgement: Number
) -> Expression:
    """Return the importance in 0..1 from the facets P, E, I and J. Source: seed 003, section 3."""
    return clamp(
        product(double(PERSISTENCE_WEIGHT), double(persistence))
        + product(double(JUDGEMENT_WEIGHT), double(judgement))
        + product(double(EMOTION_WEIGHT), double(emotion))
        + product(double(INFORMATION_WEIGHT), double(information))
    )


def age_days(since: Moment, now: Moment) -> Expression:
    """Return the days, with their fraction, from `since` to `now`; 0 when `since` is later.

    `greatest` is inside the subtraction: around it, a NULL `since` would give 0.
    """
    start, end = moment(since), moment(now)
    return float_result(seconds_between(start, Greatest(end, start)) / Value(SECONDS_A_DAY))


def effective_age(age_days: Number, use_count: Number) -> Expression:
    """Return the age in days, reduced by use. Source: seed 003, section 4.1."""
    return float_result(double(age_days) / (double(1.0) + Ln(double(1.0) + double(use_count))))


def time_coef(
    age_days: Number,
    use_count: Number,
    *,
    core: Flag,
    floor: Number = TIME_COEF_FLOOR,
    scale_days: Number = TIME_COEF_SCALE_DAYS,
) -> Expression:
    """Return the factor by which time reduces importance; 1 for core and pinned memories. Source:
    seed 003, section 4.1.
    """
    least = double(floor)
    ageing = exponential_decay(effective_age(age_days, use_count) / double(scale_days))
    return Case(
        When(flag(core), then=double(1.0)),
        default=least + (double(1.0) - least) * ageing,
        output_field=FloatField(),
    )


def current_importance(importance: Number, time_coef: Number) -> Expression:
    """Return the importance as of now, in 0..1. Source: seed 003, section 5."""
    return product(double(time_coef), double(importance))


def adjustment(used: Number, unused: Number, confirmed: Number, objected: Number) -> Expression:
    """Return what was learned from use and from people's decisions, within ±ADJUSTMENT_BOUND."""
    weights = {name: double(abs(weight)) for name, weight in ADJUSTMENT_WEIGHTS.items()}
    rise = weights["used"] * double(used) + weights["confirmed"] * double(confirmed)
    fall = weights["unused"] * double(unused) + weights["objected"] * double(objected)
    share = (rise - fall) / (rise + fall + double(ADJUSTMENT_DOUBT))
    return float_result(double(ADJUSTMENT_BOUND) * share)


def effective_importance(current_importance: Number, adjustment: Number) -> Expression:
    """Return the importance that ranks a memory where the policy learns, in 0..1."""
    return clamp(double(current_importance) + double(adjustment))


def reinforced(old: Number, new: Number) -> Expression:
    """Return the base importance of a restated memory, in 0..1."""
    greater = Greatest(double(old), double(new))
    return float_result(greater + double(REINFORCEMENT) * (double(1.0) - greater))
