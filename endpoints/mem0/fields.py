"""The conditions of a field of mem0's filters, such as a user, a time or a category."""

from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import F, Func, Q, TextField, Value
from django.db.models.lookups import Contains
from pydantic import TypeAdapter, ValidationError

from foundation.errors import FieldError, InvalidArguments
from foundation.http.requests import parse_uuid
from foundation.texts.fields import Moment
from foundation.texts.forms import composed, folded, tag_form, tag_spellings
from foundation.texts.names import ANYBODY, MAX_NAME
from memory.metadata_filters import OPERATORS, metadata_condition
from memory.models.memories import SHORT_ID

ENTITIES = {"user_id": "user_id", "agent_id": "agent_id", "run_id": "session_id"}
"""mem0's names and the columns. An app is a value of the metadata."""
APP = "app_id"
_METADATA_OPERATORS = (*OPERATORS, "nin", "icontains")
_MOMENT: TypeAdapter[Any] = TypeAdapter(Moment)


def refused(field: str, message: str) -> InvalidArguments:
    """Return the error of a field."""
    return InvalidArguments(FieldError(field, message))


def is_entity(name: str) -> bool:
    """Return whether a field names a user, an agent, a run or an app."""
    return name in ENTITIES or name == APP


def names_of(value: Any) -> list[Any]:
    """Return the names that an entity must have one of: `"*"` for any; none if it must not have
    a name."""
    match value:
        case str(text):
            return [text]
        case {"eq": str(text)} if len(value) == 1:
            return [text]
        case {"in": [*listed]} if len(value) == 1:
            return listed
    return []


def field_condition(name: str, value: Any) -> Q:
    """Return the condition of a field. Raises InvalidArguments for a value that it does not take,
    and for a field that Ebb does not know."""
    if is_entity(name):
        return _entity(name, value)
    if name not in _FIELDS:
        known = ", ".join(["AND", "OR", "NOT", *ENTITIES, APP, *_FIELDS])
        raise refused(name, f"Ebb has no counterpart for this filter; known: {known}")
    return _FIELDS[name](name, value)


def _entity(name: str, value: Any) -> Q:
    """Return the condition on a user, an agent, a run or an app; “*” means any."""
    if names := names_of(value):
        return reduce(or_, (_named(name, one) for one in names))
    match value:
        case {"ne": str(text)} if len(value) == 1:
            return ~_named(name, text)
    raise refused(name, "must be a string, or use eq, ne or in")


def _named(name: str, text: Any) -> Q:
    """Return the condition that a memory has this entity, or any for “*”."""
    if not isinstance(text, str) or not text or len(text) > MAX_NAME:
        raise refused(name, f"must be a string of 1 to {MAX_NAME} characters")
    if name == APP:
        return Q(metadata__has_key=APP) if text == ANYBODY else Q(metadata__contains={APP: text})
    column = ENTITIES[name]
    return Q(**{f"{column}__isnull": False}) if text == ANYBODY else Q(**{column: text})


def _metadata(name: str, value: Any) -> Q:
    """Return the condition on values of the metadata, each by its key; “*” means any value."""
    if not isinstance(value, dict) or not value:
        raise refused(name, "must be an object")
    tests = {key: {"exists": True} if one == ANYBODY else one for key, one in value.items()}
    return metadata_condition(tests, _METADATA_OPERATORS)


def _created(name: str, value: Any) -> Q:
    """Return the condition on the time of a memory."""
    tests = value if isinstance(value, dict) else {"eq": value}
    if not tests or not tests.keys() <= {"eq", "ne", "in", "gt", "gte", "lt", "lte"}:
        raise refused(name, "must be a time, or use gt, gte, lt, lte, ne or in")
    found = Q()
    for operator, given in tests.items():
        match operator:
            case "in":
                listed = given if isinstance(given, list) and given else [None]
                found &= Q(created_at__in=[_moment(name, one) for one in listed])
            case "ne":
                found &= ~Q(created_at=_moment(name, given))
            case "eq":
                found &= Q(created_at=_moment(name, given))
            case _:
                found &= Q(**{f"created_at__{operator}": _moment(name, given)})
    return found


def _moment(name: str, value: Any) -> Any:
    """Return a time; a day without a time begins at midnight UTC. Raises InvalidArguments."""
    if isinstance(value, str) and "T" not in value and " " not in value:
        value = f"{value}T00:00:00Z"
    try:
        return _MOMENT.validate_python(value)
    except ValidationError:
        raise refused(name, "must be an ISO 8601 date, or a time with a time zone") from None


def _categories(name: str, value: Any) -> Q:
    """Return the condition on the tags, which mem0 calls categories: one of these, or one with
    this text in it."""
    match value:
        case {"contains": str(text)} | {"icontains": str(text)} if len(value) == 1 and text:
            tags = Func(
                F("tags"), Value("\n"), function="array_to_string", output_field=TextField()
            )
            return Q(Contains(tags, tag_form(text)))
        case {"in": inner} if len(value) == 1:
            listed: Any = inner
        case _:
            listed = value
    if not isinstance(listed, list) or not listed or not all(isinstance(x, str) for x in listed):
        raise refused(name, "must be a list of tags, or use in or contains")
    return Q(tags__overlap=[one for tag in listed for one in tag_spellings(tag)])


def _keywords(name: str, value: Any) -> Q:
    """Return the condition that the text contains these characters."""
    match value:
        case {"contains": str(text)} if len(value) == 1:
            return Q(content__contains=composed(text))
        case str(text) | {"icontains": str(text)} if isinstance(value, str) or len(value) == 1:
            return Q(content__folded__contains=folded(text))
    raise refused(name, "must be a string, or use contains or icontains")


def _ids(name: str, value: Any) -> Q:
    """Return the condition that a memory has one of these ids, short or whole."""
    listed = value.get("in") if isinstance(value, Mapping) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise refused(name, "must be a list of ids")
    short = [one for one in listed if SHORT_ID.fullmatch(one)]
    whole = [parse_uuid(one) for one in listed if one not in short]
    return Q(short_id__in=short) | Q(pk__in=whole)


_FIELDS: dict[str, Callable[[str, Any], Q]] = {
    "metadata": _metadata,
    "created_at": _created,
    "categories": _categories,
    "keywords": _keywords,
    "memory_ids": _ids,
}
