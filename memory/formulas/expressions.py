"""The SQL that the formula twins share: numbers, moments and durations of the right type.

PostgreSQL reads a bare 0.6 as numeric, divides integers into integers, and its greatest and least
skip NULL. What is built here is double precision, and says what it makes of NULL.
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

# PostgreSQL fails a query when a result underflows, where Python answers 0. Both limits are far
# below anything that a sum could show, and far enough from 1e-308 to be multiplied again.
LARGEST_EXPONENT: Final = 100.0
NEGLIGIBLE: Final = 1e-100


def double(value: Number) -> Expression:
    """The number as double precision: numeric is several times slower and rounds differently."""
    expression = value if isinstance(value, Combinable) else Value(value)
    return Cast(expression, FloatField())


def float_result(value: Combinable) -> Expression:
    """Name the type of arithmetic on doubles, which Django does not always work out."""
    return ExpressionWrapper(value, output_field=FloatField())


def product(factor: Expression, value: Expression) -> Expression:
    """factor * value, where a value too small to be multiplied counts as 0; NULL for NULL.

    One stored importance of 5e-324 would otherwise fail every query that weighs it.
    """
    return Case(
        When(LessThan(Abs(value), double(NEGLIGIBLE)), then=double(0.0)),
        default=factor * value,
        output_field=FloatField(),
    )


def moment(value: Moment) -> Combinable:
    """The moment as an expression."""
    return value if isinstance(value, Combinable) else Value(value, DateTimeField())


def flag(value: Flag) -> Expression:
    """The condition as an expression that When takes."""
    expression = Value(value) if isinstance(value, bool) else value
    return ExpressionWrapper(expression, output_field=BooleanField())


def seconds_between(start: Combinable, end: Combinable) -> Expression:
    """Seconds from one moment to the other; negative when they are swapped, NULL for NULL.

    date_part answers double precision, where extract has been numeric since PostgreSQL 14.
    """
    return Func(
        end,
        start,
        template="date_part('epoch', %(expressions)s)",
        arg_joiner=" - ",
        output_field=FloatField(),
    )


def seconds_after(start: Combinable, seconds: Number) -> Expression:
    """The moment so many seconds after another one; NULL for NULL."""
    interval = Func(
        double(seconds),
        template="make_interval(secs => %(expressions)s)",
        output_field=DurationField(),
    )
    return Func(
        start,
        interval,
        template="(%(expressions)s)",
        arg_joiner=" + ",
        output_field=DateTimeField(),
    )


def exponential_decay(value: Expression) -> Expression:
    """exp(-value), where NULL counts as endlessly old.

    The exponent is bounded: one very old row would otherwise fail the whole query.
    """
    return Exp(-Least(value, double(LARGEST_EXPONENT)))
