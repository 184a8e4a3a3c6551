"""Ids of imported rows: kept if they are free, otherwise replaced by ids that are always the same.

An imported row keeps its own id, unless another space uses it. Then it gets one of the ids derived
from its own id and the space. So reading a file twice finds the rows of the first time, and
references find a row under its new id.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID, uuid5

from accounts.models import Space
from memory.models import Memory
from memory.transfer.sections import Row, Section

_NAMES = UUID("5f0b6d5e-6b1e-4bb5-9a7c-5d2f0f6c3e11")
# A derived id clashes only with another memory's short id: one in four thousand million.
_TURNS = 3


class Placed(NamedTuple):
    """An id in this space, and whether its row exists already."""

    id: UUID
    known: bool


def made_id(space: Space, origin: str) -> UUID:
    """Return the id in this space for a name from another installation."""
    return uuid5(_NAMES, f"{space.pk}/{origin}")


def keep_apart(rows: Sequence[Row], space: Space) -> None:
    """Give memories of another system an id for their user, if another user has imported them.
    Their six-digit id stays the first user's."""
    own = [made_id(space, f"of {row['user_id'] or ''}/{row['id']}") for row in rows]
    memories = Memory.objects.in_space(space)
    found = memories.filter(pk__in=[*own, *(row["id"] for row in rows)])
    owners = dict(found.values_list("pk", "user_id"))
    named = memories.filter(legacy_id__in={row["legacy_id"] for row in rows} - {""})
    names = set(named.values_list("legacy_id", "pk"))
    for row, made in zip(rows, own, strict=True):
        owner = row["user_id"]
        if made in owners or owners.get(row["id"], owner) != owner:
            row["id"] = made
        if any(name == row["legacy_id"] and pk != row["id"] for name, pk in names):
            row["legacy_id"] = ""


@dataclass(frozen=True)
class _Taken:
    here: set[UUID]
    elsewhere: set[UUID]
    short: set[str]

    def free(self, id_: UUID) -> bool:
        """Return true if the id is unused, in other spaces and as a short id."""
        return id_ not in self.elsewhere and id_.hex[:8] not in self.short


def places(space: Space, section: Section, ids: Iterable[UUID]) -> dict[UUID, Placed]:
    """Return the present or future ids in this space of a section's rows with these ids."""
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
