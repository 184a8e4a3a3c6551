"""Conversion of a line to a row: each value is checked against its column before writing."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db.models import (
    BooleanField,
    CharField,
    DateTimeField,
    Field,
    FloatField,
    ForeignKey,
    IntegerField,
    JSONField,
    TextField,
)
from django.db.models.expressions import DatabaseDefault
from django.db.models.fields import NOT_PROVIDED

from foundation.texts.forms import composed
from memory.transfer.sections import Row, Section

MAX_DEPTH = 50
"""Levels of a line. Python reads only about a thousand, fewer inside a page."""
MAX_TEXT = 1_000_000
"""Characters of a text: the longest replies of models have fewer."""
_MISSING = object()


def row_of(section: Section, line: Mapping[str, Any]) -> Row:
    """Return the row that a line describes, with defaults for omitted fields.

    Raises ValueError, which names the field.
    """
    _storable(line)
    unknown = line.keys() - section.fields.keys() - {"kind"}
    if unknown:
        raise ValueError(f"{min(unknown)}: unknown field")
    row = {
        name: _value(name, field, line.get(name, _MISSING))
        for name, field in section.fields.items()
    }
    section.check(row)
    return row


def _value(name: str, field: "Field[Any, Any]", given: Any) -> Any:
    if given is _MISSING:
        if field.primary_key or (field.default is NOT_PROVIDED and not (field.null or field.blank)):
            raise ValueError(f"{name}: is missing")
        own = field.get_default()
        return field.db_default if isinstance(own, DatabaseDefault) else own
    if given is None:
        if not field.null:
            raise ValueError(f"{name}: must not be null")
        return None
    _right_type(name, field, given)
    given = _as_stored(field, given)
    try:
        if isinstance(field, ForeignKey):
            return field.target_field.to_python(given)
        value = field.to_python(given)
        # Only forms refuse empty texts; a choice must be valid in the table as well.
        if value not in field.empty_values or (field.choices and not field.blank):
            field.validate(value, None)
            field.run_validators(value)
    except ValidationError as error:
        raise ValueError(f"{name}: {' '.join(error.messages)}") from None
    except OverflowError:
        raise ValueError(f"{name}: is too large") from None
    return _in_utc(name, value) if isinstance(value, datetime) else value


def _as_stored(field: "Field[Any, Any]", given: Any) -> Any:
    """Return the value with its texts as Ebb stores them; names and ids stay as they are."""
    if isinstance(field, TextField):
        return composed(given)
    if isinstance(field, ArrayField) and isinstance(field.base_field, CharField | TextField):
        return list(map(composed, given))
    return given


def _right_type(name: str, field: "Field[Any, Any]", given: object) -> None:
    """Check a value's JSON type, because Django would accept "0.5" as a number and 1 as true.
    Raises ValueError."""
    if isinstance(field, BooleanField):
        right, what = isinstance(given, bool), "true or false"
    elif isinstance(field, FloatField):
        right, what = isinstance(given, int | float) and not isinstance(given, bool), "a number"
    elif isinstance(field, IntegerField):
        right, what = _is_whole(given), "a whole number"
    elif isinstance(field, ArrayField):
        texts = isinstance(given, list) and all(isinstance(item, str) for item in given)
        right, what = texts, "a list of texts"
    elif isinstance(field, JSONField):
        right, what = isinstance(given, dict | list), "an object or a list"
    elif isinstance(field, ForeignKey):
        right, what = isinstance(given, str | int), "an id"
    else:
        right, what = isinstance(given, str), "a text"
    if not right:
        raise ValueError(f"{name}: must be {what}")
    if isinstance(field, DateTimeField) and not given:
        raise ValueError(f"{name}: must be a date and time")


def _is_whole(given: object) -> bool:
    """Return whether a JSON number is whole; 5.0 is."""
    if isinstance(given, float):
        return given.is_integer()
    return isinstance(given, int) and not isinstance(given, bool)


def _in_utc(name: str, moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{name}: must have a time zone")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{name}: must be between the years 1 and 9999 in UTC") from None


def _storable(value: object) -> None:
    """Refuse values that PostgreSQL cannot store or that pages could not read, anywhere in a line.
    Raises ValueError."""
    level: list[Any] = [value]
    for _depth in range(MAX_DEPTH):
        inner: list[Any] = []
        for part in level:
            if isinstance(part, Mapping):
                inner += [*part.keys(), *part.values()]
            elif isinstance(part, list):
                inner += part
            else:
                _check_value(part)
        if not inner:
            return
        level = inner
    raise ValueError(f"is nested more than {MAX_DEPTH} levels deep")


def _check_value(part: object) -> None:
    if isinstance(part, str) and len(part) > MAX_TEXT:
        raise ValueError(f"contains a text of more than {MAX_TEXT} characters")
    if isinstance(part, float) and not math.isfinite(part):
        raise ValueError("contains a value that is not a number")
    if isinstance(part, str) and ("\x00" in part or not _is_unicode(part)):
        raise ValueError("contains text that is not valid Unicode or has a NUL character")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
