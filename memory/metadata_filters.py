"""Conditions on the metadata of memories: `{"topic": "house", "n": {"gt": 5}, "to.city": "Rome"}`.

A plain value asks for an equal one, an object uses operators. A dot leads to a nested key; a key
that has a dot in its name is found as well. Types are compared as in JSON: 5 equals 5.0, but not
"5", and no number is greater than a text. So no stored value makes a query fail.
"""

import json
import unicodedata
from collections.abc import Collection, Mapping
from functools import reduce
from operator import and_, or_
from typing import Any

from django.db.models import BooleanField, F, Func, Q, Value

from foundation.errors import FieldError, InvalidArguments
from memory.metadata import MAX_METADATA_DEPTH

OPERATORS = ("eq", "ne", "in", "gt", "gte", "lt", "lte", "contains", "exists")
_SIGNS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def metadata_condition(asked: Mapping[str, Any], operators: Collection[str] = OPERATORS) -> Q:
    """Return the condition that a memory's metadata fits all of these. Raises InvalidArguments for
    an operator that is not among these, and for a value that the operator does not take."""
    return reduce(and_, (_of_key(key, tests, operators) for key, tests in asked.items()), Q())


def _of_key(key: str, asked: Any, operators: Collection[str]) -> Q:
    field = f"metadata.{key}"
    tests = asked if isinstance(asked, dict) else {"eq": asked}
    if not tests or not tests.keys() <= set(operators):
        wrong = ", ".join(f"“{name}”" for name in tests if name not in operators)
        fault = f"unknown operator {wrong}" if wrong else "no operator"
        message = f"{fault}; use one of {', '.join(operators)}"
        raise InvalidArguments(FieldError(field, f"{message}, or name a nested key “{key}.name”"))
    if key.count(".") >= MAX_METADATA_DEPTH:
        message = f"must name at most {MAX_METADATA_DEPTH} nested keys"
        raise InvalidArguments(FieldError(field, message))
    try:
        return reduce(and_, (_test(key, name, value) for name, value in tests.items()))
    except ValueError as error:
        raise InvalidArguments(FieldError(field, str(error))) from None


def _test(key: str, operator: str, value: Any) -> Q:
    """Return the condition of one operator. Raises ValueError for a value that it does not take."""
    match operator, value:
        case "ne", _:
            return ~_test(key, "eq", value)
        case "nin", _:
            return ~_test(key, "in", value)
        case "in", [_, *_]:
            return reduce(or_, (_test(key, "eq", one) for one in value))
        case "in", _:
            raise ValueError("in: must be a list of one value or more")
        case "exists", False:
            return ~_test(key, "exists", True)
    paths = {path for form in _forms(key) for path in ((form,), tuple(form.split(".")))}
    values = _forms(value) if isinstance(value, str) else [value]
    return reduce(or_, (_at(path, operator, one) for path in sorted(paths) for one in values))


def _forms(text: str) -> list[str]:
    """Return a text with ö as one character and as two: metadata is stored as it was sent."""
    return sorted({text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD"))})


def _at(path: tuple[str, ...], operator: str, value: Any) -> Q:
    """Return the condition of an operator on the value at a path."""
    match operator:
        case "eq":
            return _holds(path, _scalar(operator, value))
        case "exists":
            if value is not True:
                raise ValueError("exists: must be true or false")
            return _matches(path, "")
        case "contains" | "icontains":
            return _contains(path, operator, value)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{operator}: must be a number or a text")
    return _matches(path, f"? (@ {_SIGNS[operator]} $value)", value)


def _scalar(operator: str, value: Any) -> Any:
    if isinstance(value, dict | list):
        raise ValueError(f"{operator}: must be a text, a number, true, false or null")
    return value


def _contains(path: tuple[str, ...], operator: str, value: Any) -> Q:
    """Return the condition that a list has this element, or that a text has this text in it."""
    if value == "":
        raise ValueError(f"{operator}: must not be empty")
    among = _holds(path, [_scalar(operator, value)])
    if not isinstance(value, str):
        return among
    flags = "q" if operator == "contains" else "qi"  # q: the text is no pattern
    return among | _matches(path, f'? (@ like_regex {_quoted(value)} flag "{flags}")')


def _holds(path: tuple[str, ...], value: Any) -> Q:
    """Return the condition that the metadata holds this value. The index on it can answer this."""
    for key in reversed(path):
        value = {key: value}
    return Q(metadata__contains=value)


def _matches(path: tuple[str, ...], test: str, value: Any = None) -> Q:
    """Return the condition that there is a value at the path, and that it passes the test. Values
    of other types do not pass it; `strict` keeps lists whole."""
    place = "".join(f".{_quoted(key)}" for key in path)
    found = Func(
        F("metadata"),
        Func(Value(f"strict ${place} {test}"), template="%(expressions)s::jsonpath"),
        Func(Value(json.dumps({"value": value})), template="%(expressions)s::jsonb"),
        template="coalesce(jsonb_path_exists(%(expressions)s, true), false)",
        output_field=BooleanField(),
    )
    return Q(found)


def _quoted(text: str) -> str:
    """Return a text as PostgreSQL writes it in a path."""
    return json.dumps(text)
