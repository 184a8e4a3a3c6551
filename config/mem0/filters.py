"""mem0's filters as conditions on memories.

A filter is a JSON object: `{"user_id": "alice"}`, or `{"AND": [...]}`, `{"OR": [...]}` and
`{"NOT": ...}` around such objects. Fields beside each other are joined by AND.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any

from django.db.models import Q
from pydantic import TypeAdapter, ValidationError

from memory.drafts import Moment
from memory.errors import FieldError, InvalidArguments
from memory.models.memories import SHORT_ID
from memory.names import ANYBODY, MAX_NAME
from memory.requests import parse_uuid
from memory.storable import storable_json
from memory.text_forms import composed, folded, tag_form

Json = Mapping[str, Any]

ENTITIES = {"user_id": "user_id", "agent_id": "agent_id", "run_id": "session_id"}
"""mem0's names and the columns. An app is a value of the metadata."""
APP = "app_id"
MOST_PARTS, DEEPEST = 1000, 16
_MOMENT: TypeAdapter[Any] = TypeAdapter(Moment)


@dataclass(frozen=True)
class Filter:
    """A condition on memories. `users` are the users whom it names, `direct` the entities that
    every memory found has; `only_direct` is true if there is no other condition."""

    where: Q
    users: frozenset[str]
    direct: Mapping[str, str]
    only_direct: bool


def read_filter(*trees: Json) -> Filter:
    """Return the filter that joins these objects by AND. Raises InvalidArguments for a field, an
    operator or a value that Ebb does not know."""
    given = [one for one in trees if one]
    if not given:
        return Filter(Q(), frozenset(), {}, only_direct=True)
    tree = {"AND": given}
    _check_size(tree)
    parts = list(_joined(tree))
    direct = {name: value for name, value in parts if _is_direct(name, value)}
    where = reduce(and_, (_part(name, value) for name, value in parts), Q())
    return Filter(
        where,
        users=frozenset(_users(tree)),
        direct=direct,
        only_direct=len(direct) == len(parts),
    )


def _check_size(tree: Json) -> None:
    """Raise InvalidArguments for a filter with too many or too deep parts, or unstorable texts."""
    count, level = 0, list[Any]([tree])
    for _depth in range(DEEPEST):
        count += sum(map(len, level))
        level = [inner for one in level for inner in _inner(one)]
    if level or count > MOST_PARTS:
        raise _refused("filters", f"at most {MOST_PARTS} parts, {DEEPEST} levels deep")
    try:
        storable_json(dict(tree))
    except ValueError as error:
        raise _refused("filters", str(error)) from None


def _inner(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, Mapping) else value
    return [one for one in inner if isinstance(one, dict | list)]


def _joined(tree: Json) -> Iterator[tuple[str, Any]]:
    """Yield the parts that are joined by AND at the top, each a name and its value."""
    for name, value in tree.items():
        if name == "AND":
            for one in _objects(name, value):
                yield from _joined(one)
        elif name in ENTITIES:
            yield name, _simplest(value)
        else:
            yield name, value


def _simplest(value: Any) -> Any:
    """Return the text of `{"eq": "alice"}` and `{"in": ["alice"]}`; any other value as it is."""
    match value:
        case {"eq": str(text)} | {"in": [str(text)]} if len(value) == 1:
            return text
    return value


def _is_direct(name: str, value: Any) -> bool:
    return name in ENTITIES and isinstance(value, str) and value != ANYBODY


def _users(value: Any) -> Iterator[str]:
    """Yield the users whom a filter names anywhere."""
    if isinstance(value, list):
        for one in value:
            yield from _users(one)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name == "user_id":
                yield from _texts(inner)
            elif name in {"AND", "OR", "NOT"}:
                yield from _users(inner)


def _texts(value: Any) -> Iterator[str]:
    """Yield the names in the value of an entity, whatever the operator."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _condition(tree: Json) -> Q:
    """Return the condition of one object of a filter."""
    return reduce(and_, (_part(name, value) for name, value in tree.items()), Q())


def _part(name: str, value: Any) -> Q:
    """Return the condition of one field or logical operator."""
    match name:
        case "AND":
            return reduce(and_, map(_condition, _objects(name, value)))
        case "OR":
            return reduce(or_, map(_condition, _objects(name, value)))
        case "NOT":
            listed = value if isinstance(value, list) else [value]
            return ~reduce(or_, map(_condition, _objects(name, listed)))
    if name in ENTITIES or name == APP:
        return _entity(name, value)
    if name not in _FIELDS:
        known = ", ".join(["AND", "OR", "NOT", *ENTITIES, APP, *_FIELDS])
        raise _refused(name, f"Ebb has no counterpart for this filter; known: {known}")
    return _FIELDS[name](name, value)


def _objects(name: str, value: Any) -> list[Json]:
    """Return the objects that a logical operator joins; raises InvalidArguments if there are
    none."""
    listed = value if isinstance(value, list) else []
    if not listed or not all(isinstance(one, dict) and one for one in listed):
        raise _refused(name, "must be a list of filters")
    return listed


def _entity(name: str, value: Any) -> Q:
    """Return the condition on a user, an agent, a run or an app; “*” means any."""
    match value:
        case str(text) | {"eq": str(text)} if isinstance(value, str) or len(value) == 1:
            return _anything(name) if text == ANYBODY else _same(name, text)
        case {"in": list(listed)} if len(value) == 1 and listed:
            return reduce(or_, (_entity(name, one) for one in listed))
        case {"ne": str(text)} if len(value) == 1:
            return ~(_anything(name) if text == ANYBODY else _same(name, text))
    raise _refused(name, "must be a string, or use eq, ne or in")


def _anything(name: str) -> Q:
    """Return the condition that a memory has an entity of this kind."""
    if name == APP:
        return Q(metadata__has_key=APP)
    return Q(**{f"{ENTITIES[name]}__isnull": False})


def _same(name: str, text: str) -> Q:
    """Return the condition that a memory has this entity."""
    if not text or len(text) > MAX_NAME:
        raise _refused(name, f"must have 1 to {MAX_NAME} characters")
    if name == APP:
        return Q(metadata__contains={APP: text})
    return Q(**{ENTITIES[name]: text})


def _metadata(name: str, value: Any) -> Q:
    """Return the condition on values of the metadata, each by its key."""
    if not isinstance(value, dict) or not value:
        raise _refused(name, "must be an object")
    return reduce(and_, (_metadata_value(key, inner) for key, inner in value.items()))


def _metadata_value(key: str, value: Any) -> Q:
    match value:
        case {"eq": wanted} if len(value) == 1:
            return Q(metadata__contains={key: wanted})
        case {"ne": wanted} if len(value) == 1:
            return ~Q(metadata__contains={key: wanted})
        case {"contains": wanted} if len(value) == 1:
            # A list contains the value; a text is compared whole, as mem0 does for metadata.
            return Q(metadata__contains={key: [wanted]}) | Q(metadata__contains={key: wanted})
        case dict():
            raise _refused(f"metadata.{key}", "use eq, ne or contains")
    return Q(metadata__contains={key: value})


def _created(name: str, value: Any) -> Q:
    """Return the condition on the time of a memory."""
    if isinstance(value, str):
        return Q(created_at=_moment(name, value))
    known = {"gt", "gte", "lt", "lte"}
    if not isinstance(value, dict) or not value or not value.keys() <= known:
        raise _refused(name, "must be a time, or use gt, gte, lt or lte")
    moments = {f"created_at__{which}": _moment(name, at) for which, at in value.items()}
    return Q(**moments)


def _moment(name: str, value: Any) -> Any:
    """Return a time; a day without a time begins at midnight UTC. Raises InvalidArguments."""
    if isinstance(value, str) and "T" not in value and " " not in value:
        value = f"{value}T00:00:00Z"
    try:
        return _MOMENT.validate_python(value)
    except ValidationError:
        raise _refused(name, "must be an ISO 8601 date, or a time with a time zone") from None


def _categories(name: str, value: Any) -> Q:
    """Return the condition that a memory has one of these tags, which mem0 calls categories."""
    match value:
        case {"contains": str(tag)} if len(value) == 1:
            listed: Any = [tag]
        case {"in": inner} if len(value) == 1:
            listed = inner
        case _:
            listed = value
    if not isinstance(listed, list) or not listed or not all(isinstance(x, str) for x in listed):
        raise _refused(name, "must be a list of tags, or use in or contains")
    return Q(tags__overlap=[tag_form(tag) for tag in listed])


def _keywords(name: str, value: Any) -> Q:
    """Return the condition that the text contains these characters."""
    match value:
        case {"contains": str(text)} if len(value) == 1:
            return Q(content__contains=composed(text))
        case str(text) | {"icontains": str(text)} if isinstance(value, str) or len(value) == 1:
            return Q(content__folded__contains=folded(text))
    raise _refused(name, "must be a string, or use contains or icontains")


def _ids(name: str, value: Any) -> Q:
    """Return the condition that a memory has one of these ids, short or whole."""
    listed = value.get("in") if isinstance(value, dict) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise _refused(name, "must be a list of ids")
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


def _refused(field: str, message: str) -> InvalidArguments:
    return InvalidArguments(FieldError(field, message))


def given_fields(**fields: Any) -> dict[str, Any]:
    """Return a filter by these fields, without the empty ones."""
    return {name: value for name, value in fields.items() if value not in (None, [], {})}
