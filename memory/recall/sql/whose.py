"""SQL twin of `memory/text/whose.py`: whether a memory is about someone other than the user.

Compares words, because a regular expression takes ten times as long for each memory.
"""

from collections.abc import Iterable
from functools import reduce
from operator import or_

from django.contrib.postgres.fields import ArrayField
from django.db.models import (
    BooleanField,
    Case,
    F,
    FloatField,
    Func,
    Q,
    TextField,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Left, Length, Substr
from django.db.models.lookups import Contains, In, StartsWith

from memory.formulas.expressions import double, flag
from memory.text.whose import (
    BETWEEN_ZH,
    OWNERS,
    OWNERS_ZH,
    READ,
    RETURNS,
    RETURNS_ZH,
    SIGNS,
    Others,
    begins_with,
)

_CONTENT, _BEGINNING = F("content"), Left("content", READ)


def tells_of_others(others: Others) -> Case:
    """Return 1 for a memory that begins with another person and does not return to the user,
    otherwise 0.
    """
    return Case(
        When(_any(StartsWith(_CONTENT, owner) for owner in OWNERS_ZH), then=_chinese(others)),
        When(In(_word(_CONTENT, 1), OWNERS), then=_english(others)),
        default=double(0.0),
        output_field=FloatField(),
    )


def _english(others: Others) -> Case:
    people = begins_with(others, "en")
    begins = _any(In(_plain(_word(_CONTENT, place)), people) for place in (2, 3))
    rest = Substr(_BEGINNING, Length(_word(_CONTENT, 1)) + 1)
    said = _text("string_to_array", _spaced(rest), Value(" "))
    returns = Func(
        said,
        Value(RETURNS, ArrayField(TextField())),
        arg_joiner=" && ",
        template="%(expressions)s",
        output_field=BooleanField(),
    )
    return _unless(returns, begins)


def _chinese(others: Others) -> Case:
    rest, people = _text("ltrim", _BEGINNING, Value(BETWEEN_ZH)), begins_with(others, "zh")
    begins = _any(In(Left(rest, length), people) for length in (1, 2))
    return _unless(_any(Contains(rest, owner) for owner in RETURNS_ZH), begins)


def _unless(returns: Combinable, begins: Combinable) -> Case:
    # Nested, so that `returns` is computed only for the few memories that begin with another
    # person.
    back = Case(When(returns, then=double(0.0)), default=double(1.0), output_field=FloatField())
    return Case(When(begins, then=back), default=double(0.0), output_field=FloatField())


def _any(conditions: Iterable[Combinable]) -> Combinable:
    return flag(reduce(or_, (Q(flag(one)) for one in conditions)))


def _word(text: Combinable, place: int) -> Func:
    return _text("split_part", text, Value(" "), Value(place))


def _plain(word: Combinable) -> Func:
    """Return the word up to its first punctuation mark: sister for "sister's"."""
    return _word(_spaced(word), 1)


def _spaced(text: Combinable) -> Func:
    return _text("translate", text, Value(SIGNS), Value(" " * len(SIGNS)))


def _text(function: str, *arguments: Combinable) -> Func:
    return Func(*arguments, function=function, output_field=TextField())
