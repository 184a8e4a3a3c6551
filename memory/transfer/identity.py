"""Ids in another place: kept when they are free, else made anew, always the same ones.

A row of an import has one of three ids in its new space: its own; if another space has that, one
made from it and the space. So a file that is read twice finds what it brought the first time, and
what points to a row finds it under its new id.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID, uuid5

from memory.models import Memory, Space
from memory.transfer.sections import Section

_NAMES = UUID("5f0b6d5e-6b1e-4bb5-9a7c-5d2f0f6c3e11")
# A made id can only be taken by the short id of another memory: one in four thousand million.
_TURNS = 3


class Placed(NamedTuple):
    """What an id is here, and whether its row is here already."""

    id: UUID
    known: bool


def made_id(space: Space, origin: str) -> UUID:
    """The id in this space of what another place calls by this name."""
    return uuid5(_NAMES, f"{space.pk}/{origin}")


@dataclass(frozen=True)
class _Taken:
    here: set[UUID]
    elsewhere: set[UUID]
    short: set[str]

    def free(self, id_: UUID) -> bool:
        return id_ not in self.elsewhere and id_.hex[:8] not in self.short


def places(space: Space, section: Section, ids: Iterable[UUID]) -> dict[UUID, Placed]:
    """Where rows of a section with these ids are, or will be."""
    choices = {
        id_: [id_, *(made_id(space, f"{turn}/{id_}") for turn in range(1, _TURNS))] for id_ in ids
    }
    taken = _taken(space, section, [one for some in choices.values() for one in some])
    placed = {}
    for id_, some in choices.items():
        found = next((one for one in some if one in taken.here), None)
        placed[id_] = Placed(found or _first_free(some, taken), found is not None)
        if section.model is Memory:
            taken.short.add(placed[id_].id.hex[:8])
    return placed


def _first_free(choices: list[UUID], taken: _Taken) -> UUID:
    return next((one for one in choices if taken.free(one)), choices[-1])


def _taken(space: Space, section: Section, ids: list[UUID]) -> _Taken:
    rows = section.model._base_manager.filter(pk__in=ids).values_list("pk", "space_id")
    here: set[UUID] = set()
    elsewhere: set[UUID] = set()
    for id_, space_id in rows:
        (here if space_id == space.pk else elsewhere).add(id_)
    short: set[str] = set()
    if section.model is Memory:
        begun = Memory.objects.in_space(space).filter(short_id__in=[id_.hex[:8] for id_ in ids])
        short = set(begun.values_list("short_id", flat=True))
    return _Taken(here, elsewhere, short)
