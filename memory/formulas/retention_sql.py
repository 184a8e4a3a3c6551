"""SQL twin of `retention`: the same functions as expressions over columns or plain numbers.

An `expires_at` of NULL means a permanent memory, as everywhere.
"""

from django.db.models import (
    BooleanField,
    Case,
    ExpressionWrapper,
    FloatField,
    IntegerField,
    Q,
    When,
)
from django.db.models.expressions import Expression
from django.db.models.lookups import (
    GreaterThan,
    GreaterThanOrEqual,
    IsNull,
    LessThanOrEqual,
)

from memory.formulas.expressions import (
    Flag,
    Moment,
    Number,
    double,
    flag,
    moment,
    seconds_after,
    seconds_between,
)
from memory.formulas.importance_sql import clamp
from memory.formulas.retention import Tiers


def ttl_seconds(importance: Number, tiers: Tiers) -> Expression:
    """Return the seconds to live, or NULL for ever. Source: seed 001, `calculate_ttl`."""
    number = double(importance)
    return Case(
        *(
            When(GreaterThanOrEqual(number, double(threshold)), then=seconds)
            for threshold, seconds in tiers.steps
        ),
        output_field=IntegerField(),
    )


def expires_at(start: Moment, importance: Number, tiers: Tiers) -> Expression:
    """Return when a memory written, renewed or restored at `start` expires; NULL for never."""
    return seconds_after(moment(start), ttl_seconds(importance, tiers))


def is_expired(expires_at: Moment, now: Moment) -> Expression:
    """Return the condition that the memory has expired: never NULL, and a bare comparison, so that
    an index can be used.
    """
    end = moment(expires_at)
    return ExpressionWrapper(
        Q(IsNull(end, False)) & Q(LessThanOrEqual(end, moment(now))), output_field=BooleanField()
    )


def life_left(start: Moment, expires_at: Moment, now: Moment) -> Expression:
    """Return the share of the lifetime that is left, in 0..1, or NULL for a permanent memory."""
    begin, end = moment(start), moment(expires_at)
    share = seconds_between(moment(now), end) / seconds_between(begin, end)
    return Case(
        When(LessThanOrEqual(end, begin), then=double(0.0)),
        default=clamp(share),
        output_field=FloatField(),
    )


def protected(pinned: Flag, created_at: Moment, now: Moment, grace_hours: Number) -> Expression:
    """Return the condition that capacity must skip the memory: pinned, or within the grace
    period.
    """
    grace_end = seconds_after(moment(created_at), double(grace_hours) * double(3600.0))
    return ExpressionWrapper(
        Q(flag(pinned)) | Q(GreaterThan(grace_end, moment(now))), output_field=BooleanField()
    )
