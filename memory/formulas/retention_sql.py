"""SQL twin of `retention`: the same functions as expressions over columns or plain numbers.

An `expires_at` of NULL means a permanent memory, as everywhere.
"""

from collections.abc import Sequence

from django.db.models import (
    BooleanField,
    Case,
    DateTimeField,
    ExpressionWrapper,
    FloatField,
    IntegerField,
    Q,
    When,
)
from django.db.models.expressions import Combinable, Expression
from django.db.models.lookups import (
    Exact,
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
from memory.formulas.retention import EVENT_DAYS, LATEST_DAY, Tiers


def ttl_seconds(importance: Number, tiers: Tiers, persistence: Number | None = None) -> Expression:
    """Return the seconds to live, or NULL for ever. `persistence` is NULL for a memory without
    facets. Source: seed 001, `calculate_ttl`; seed 003, section 2.1, for P.
    """
    seconds = _seconds(importance, tiers.steps)
    if persistence is None or not tiers.by_persistence:
        return seconds
    number = double(persistence)
    return Case(
        When(IsNull(number, False), then=_seconds(persistence, tiers.persistence_steps)),
        default=seconds,
        output_field=IntegerField(),
    )


def _seconds(value: Number, steps: Sequence[tuple[float, int | None]]) -> Expression:
    number = double(value)
    return Case(
        *(
            When(GreaterThanOrEqual(number, double(threshold)), then=seconds)
            for threshold, seconds in steps
        ),
        output_field=IntegerField(),
    )


def expires_at(
    start: Moment, importance: Number, tiers: Tiers, persistence: Number | None = None
) -> Expression:
    """Return when a memory written, renewed or restored at `start` expires; NULL for never."""
    return seconds_after(moment(start), ttl_seconds(importance, tiers, persistence))


def after_event(
    expiry: Moment, start: Moment, event_at: Moment, precision: Combinable
) -> Expression:
    """Return the expiry of a memory that may name an event: a coming event is not forgotten before
    it is over. NULL for never; `event_at` is NULL if there is no event, else its date.
    """
    end, event = moment(expiry), moment(event_at)
    days = Case(
        *(When(Exact(precision, name), then=count) for name, count in EVENT_DAYS.items()),
        output_field=IntegerField(),
    )
    over = seconds_after(event, days * 86400)
    begun = seconds_after(event, LATEST_DAY.total_seconds())
    comes = Q(GreaterThan(begun, moment(start))) & Q(GreaterThan(over, end))
    return Case(When(comes, then=over), default=end, output_field=DateTimeField())


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


def in_grace(created_at: Moment, now: Moment, grace_hours: Number) -> Expression:
    """Return the condition that a memory is new."""
    grace_end = seconds_after(moment(created_at), double(grace_hours) * double(3600.0))
    return ExpressionWrapper(Q(GreaterThan(grace_end, moment(now))), output_field=BooleanField())


def contested_importance(
    importance: Number, current: Number, tiers: Tiers, *, new: Flag
) -> Expression:
    """Return the importance that decides which memory a full space removes: the current one, or for
    a new memory the upper end of its tier.
    """
    number = double(importance)
    raised = Case(
        *(
            When(GreaterThanOrEqual(number, double(threshold)), then=double(upper_end))
            for upper_end, threshold in tiers.ranges
        ),
        output_field=FloatField(),
    )
    return Case(When(flag(new), then=raised), default=double(current), output_field=FloatField())
