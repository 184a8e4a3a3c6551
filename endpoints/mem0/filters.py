"""mem0's filters as conditions on memories.

A filter is a JSON object: `{"user_id": "alice"}`, or `{"AND": [...]}`, `{"OR": [...]}` and
`{"NOT": ...}` around such objects. Fields beside each other are joined by AND.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from operator import and_, or_
from typing import Any

from django.db.models import Q

from endpoints.mem0.fields import ENTITIES, field_condition, is_entity, names_of, refused
from foundation.texts.names import ANYBODY
from foundation.texts.storable import storable_json

Json = Mapping[str, Any]

MOST_PARTS, DEEPEST = 1000, 16
MOST_PATTERNS = 20
"""Maximum tests of a part of a text: each reads the texts of all memories."""


class Reach(IntEnum):
    """The entity that every memory found has: perhaps none, any (“*”), or one that the filter
    names."""

    OPEN = 0
    ANY = 1
    NAMED = 2


@dataclass(frozen=True)
class Filter:
    """A condition on memories. `users` are the users whom it names, `direct` the entities that
    every memory found has; `only_direct` is true if there is no other condition."""

    where: Q
    users: frozenset[str]
    direct: Mapping[str, str]
    only_direct: bool
    reach: Reach


def read_filter(*trees: Json) -> Filter:
    """Return the filter that joins these objects by AND. Raises InvalidArguments for a field, an
    operator or a value that Ebb does not know."""
    given = [one for one in trees if one]
    if not given:
        return Filter(Q(), frozenset(), {}, only_direct=True, reach=Reach.OPEN)
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
        reach=_reach(tree),
    )


def _check_size(tree: Json) -> None:
    """Raise InvalidArguments for a filter with too many or too deep parts, or unstorable texts."""
    count, patterns, level = 0, 0, list[Any]([tree])
    for _depth in range(DEEPEST):
        count += sum(map(len, level))
        patterns += sum(name in ("contains", "icontains") for one in level for name in one)
        level = [inner for one in level for inner in _inner(one)]
    if level or count > MOST_PARTS:
        raise refused("filters", f"at most {MOST_PARTS} parts, {DEEPEST} levels deep")
    if patterns > MOST_PATTERNS:
        raise refused("filters", f"at most {MOST_PATTERNS} of contains and icontains")
    try:
        storable_json(dict(tree))
    except ValueError as error:
        raise refused("filters", str(error)) from None


def _inner(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, Mapping) else value
    return [one for one in inner if isinstance(one, dict | list)]


def _joined(tree: Json) -> Iterator[tuple[str, Any]]:
    """Yield the parts that are joined by AND at the top, each a name and its value."""
    for name, value in tree.items():
        if name == "AND":
            for one in _objects(name, value):
                yield from _joined(one)
        elif name in ENTITIES and len(names := names_of(value)) == 1:
            yield name, names[0]
        else:
            yield name, value


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


def _reach(tree: Json) -> Reach:
    """Return the reach of one object of a filter: that of its narrowest part."""
    return max((_reach_of(name, value) for name, value in tree.items()), default=Reach.OPEN)


def _reach_of(name: str, value: Any) -> Reach:
    if name in {"AND", "OR"}:
        each = [_reach(one) for one in _objects(name, value)]
        return max(each) if name == "AND" else min(each)
    if not is_entity(name) or not (names := names_of(value)):
        return Reach.OPEN
    return Reach.ANY if ANYBODY in names else Reach.NAMED


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
    return field_condition(name, value)


def _objects(name: str, value: Any) -> list[Json]:
    """Return the objects that a logical operator joins; raises InvalidArguments if there are
    none."""
    listed = value if isinstance(value, list) else []
    if not listed or not all(isinstance(one, dict) and one for one in listed):
        raise refused(name, "must be a list of filters")
    return listed


def given_fields(**fields: Any) -> dict[str, Any]:
    """Return a filter by these fields, without the empty ones."""
    return {name: value for name, value in fields.items() if value not in (None, [], {})}
