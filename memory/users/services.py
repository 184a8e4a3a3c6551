"""The users of a space, with counts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max
from django.db.models.functions import Coalesce, Greatest

from accounts.models import Space
from memory.models import Memory
from memory.transfer.sections import Section, sections

COUNTED = {"memory": "created_at", "conversation": "updated_at", "assessment": "created_at"}
"""The sections that the list counts, each with the column of its latest activity."""


@dataclass(frozen=True)
class UserOfSpace:
    """A user's numbers; `last_active` is the time of the latest row."""

    user_id: str
    counts: Mapping[str, int]
    last_active: datetime


def users(space: Space, *, limit: int, after: str = "") -> list[UserOfSpace]:
    """Return the users of a space in the order of their names: up to `limit` that follow `after`.

    Memories in the bin count too.
    """
    found: set[str] = set()
    for section in _counted():
        names = _rows(space, section).filter(user_id__gt=after).order_by("user_id")
        found |= set(names.values_list("user_id", flat=True).distinct()[:limit])
    wanted = sorted(found)[:limit]
    numbers = {section.kind: _numbers(space, section, wanted) for section in _counted()}
    return [_user(name, numbers) for name in wanted]


def _counted() -> Iterator[Section]:
    return (section for section in sections() if section.kind in COUNTED)


def _rows(space: Space, section: Section) -> Any:
    return section.model._base_manager.filter(space_id=space.pk, user_id__isnull=False)


def _numbers(
    space: Space, section: Section, names: list[str]
) -> Mapping[str, tuple[int, datetime]]:
    """Return the number of rows and the latest time of each of these users."""
    column = COUNTED[section.kind]
    at = Greatest(column, Coalesce("last_active_at", column)) if section.model is Memory else column
    rows = _rows(space, section).filter(user_id__in=names).values_list("user_id")
    found = rows.annotate(n=Count("pk"), last=Max(at)).order_by()
    return {name: (n, last) for name, n, last in found}


def _user(name: str, numbers: Mapping[str, Mapping[str, tuple[int, datetime]]]) -> UserOfSpace:
    counts = {kind: found[name][0] if name in found else 0 for kind, found in numbers.items()}
    last = max(found[name][1] for found in numbers.values() if name in found)
    return UserOfSpace(name, counts, last)
