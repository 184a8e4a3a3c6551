"""SQL expressions that the formula twins share: numbers, moments and durations of the right type.

PostgreSQL reads a bare 0.6 as numeric, divides integers into integers, and its greatest and least
skip NULL. These expressions are double precision, and their docstrings say what NULL gives.
"""

from datetime import datetime
from typing import Final, TypeAlias

from django.db.models import (
    BooleanField,
    Case,
    DateTimeField,
    DurationField,
    ExpressionWrapper,
    FloatField,
    Func,
    Q,
    Value,
    When,
)
from django.db.models.expressions import Combinable, Expression
from django.db.models.functions import Abs, Cast, Exp, Least
from django.db.models.lookups import LessThan

Number: TypeAlias = Combinable | float
Moment: TypeAlias = Combinable | datetime
Flag: TypeAlias = Combinable | Q | bool

# PostgreSQL raises an error when a result underflows, where Python returns 0. Both limits are far
# too small to change any sum, and far enough from 1e-308 to be multiplied again.
LARGEST_EXPONENT: Final = 100.0
NEGLIGIBLE: Final = 1e-100


def double(value: Number) -> Expression:
    """Return the number as double precision; numeric is several times slower and rounds
    otherwise.
    """
    expression = value if isinstance(value, Combinable) else Value(value)
    return Cast(expression, FloatField())


def float_result(value: Combinable) -> Expression:
    """Declare the result of arithmetic on doubles as float, which Django cannot always infer."""
    return ExpressionWrapper(value, output_field=FloatField())


def product(factor: Expression, value: Expression) -> Expression:
    """Return factor * value; a value too small to multiply counts as 0; NULL for NULL.

    Otherwise one stored importance of 5e-324 would fail every query that multiplies it.
    """
    return Case(
        When(LessThan(Abs(value), double(NEGLIGIBLE)), then=double(0.0)),
        default=factor * value,
        output_field=FloatField(),
    )


def moment(value: Moment) -> Combinable:
    """Return the moment as an expression."""
    return value if isinstance(value, Combinable) else Value(value, DateTimeField())


def flag(value: Flag) -> Expression:
    """Return the condition as an expression that When accepts."""
    expression = Value(value) if isinstance(value, bool) else value
    return ExpressionWrapper(expression, output_field=BooleanField())


def seconds_between(start: Combinable, end: Combinable) -> Expression:
    """Return the seconds from `start` to `end`; negative if `end` is earlier, NULL for NULL.

    date_part returns double precision, while extract has been numeric since PostgreSQL 14.
    """
    return Func(
        end,
        start,
        template="date_part('epoch', %(expressions)s)",
        arg_joiner=" - ",
        output_field=FloatField(),
    )


def seconds_after(start: Combinable, seconds: Number) -> Expression:
    """Return the moment `seconds` after `start`; NULL for NULL.

    Computed in UTC, although seconds are as long in each time zone: else the sum would depend on
    the session, and Citus would refuse an UPDATE with it.
    """
    interval = Func(
        double(seconds),
        template="make_interval(secs => %(expressions)s)",
        output_field=DurationField(),
    )
    return Func(
        start,
        interval,
        template="((%(expressions)s) AT TIME ZONE 'UTC')",
        arg_joiner=" AT TIME ZONE 'UTC' + ",
        output_field=DateTimeField(),
    )


def exponential_decay(value: Expression) -> Expression:
    """Return exp(-value); NULL counts as infinitely old.

    The exponent is bounded: one very old row would otherwise fail the whole query.
    """
    return Exp(-Least(value, double(LARGEST_EXPONENT)))
