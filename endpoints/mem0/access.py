"""Access of mem0's clients to memories, users and conditions on them.

A client names users in its filters, but sends no user with the id of a memory. A key that is not
bound to a user may act for any user, so the id of a memory is enough: the call acts for the
memory's user. This is only safe for random ids, which cannot be guessed. The id of an imported
memory may be derived from its text, so such a call must name the user too.

The header `X-Ebb-User` limits every call to one user.
"""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Protocol
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest

from accounts.authentication import Access, access_to
from endpoints.mem0.filters import Filter, Reach
from foundation.errors import FieldError, InvalidArguments, NotFound
from foundation.http.requests import parse_uuid
from foundation.readers import EVERYONE, SHARED, Reader
from foundation.texts.names import ANYBODY
from memory.models import Memory, Status
from memory.models.memories import MemoryQuerySet
from memory.references import Owned, check_change, readable

_RANDOM = 4
"""The version of random UUIDs."""


class Named(Owned, Protocol):
    """A row with a UUID that belongs to a user, or is shared."""

    @property
    def pk(self) -> UUID:
        """The memory's id."""


def memories_of(
    request: HttpRequest, scope: str, references: Sequence[str], *, binned: bool = False
) -> tuple[Access, dict[str, Memory]]:
    """Return the caller's access and the memories with these ids, by the ids as given.

    Raises InvalidArguments for anything but whole ids: short ones could be guessed. Raises
    Forbidden, and NotFound for a memory that the caller does not see or, without `binned`, that is
    in the bin.
    """
    access, ids = access_to(request, scope), {name: parse_uuid(name) for name in references}
    reader = reader_by_id(access)
    rows = readable(access.space, reader).filter(pk__in=ids.values())
    if not binned:
        rows = rows.exclude(status=Status.BINNED)
    found = {row.pk: row for row in rows if opens(access, row)}
    if missing := [id_ for id_ in ids.values() if id_ not in found]:
        raise NotFound(_not_found(access, missing))
    if scope != "read":
        check_change(reader, *found.values())
    return access, {name: found[id_] for name, id_ in ids.items()}


def _not_found(access: Access, missing: Sequence[UUID]) -> str:
    """Return the sentence for these ids; it does not tell whether a memory has one of them."""
    if access.reader == SHARED and any(id_.version != _RANDOM for id_ in missing):
        return "Memory not found. If an import gave it to a user, name the user in X-Ebb-User."
    return "Memory not found."


def reader_by_id(access: Access) -> Reader:
    """Return the reader of a row that the call names by its id: everybody if it names no user."""
    return EVERYONE if access.reader == SHARED else access.reader


def opens(access: Access, row: Named) -> bool:
    """Return true if the id is enough to use the row: it is random, or the caller sees the row
    without it."""
    return row.pk.version == _RANDOM or access.reader.sees(row.user_id)


def memory_of(
    request: HttpRequest, scope: str, reference: str, *, binned: bool = False
) -> tuple[Access, Memory]:
    """Return the caller's access and one memory; raises the errors of `memories_of`."""
    access, found = memories_of(request, scope, [reference], binned=binned)
    return access, found[reference]


def entity_access(request: HttpRequest, scope: str) -> Access:
    """Return the access of a caller who asks about all users: for everybody, which needs the scope
    `admin`, or for the only user of the key or of the header."""
    access = access_to(request, scope)
    return access if access.reader.user_id is not None else access.acting_for(ANYBODY)


def found_rows(access: Access, asked: Filter) -> MemoryQuerySet:
    """Return the live memories that the filter finds: shared ones, and those of users whom it
    names; by an agent, a run or an app also those of any user whom the caller sees. Raises
    Forbidden for a user for whom the caller may not act."""
    reader, where = searched(access, asked)
    rows: MemoryQuerySet = Memory.objects.in_space(access.space).readable_by(reader)
    return rows.live().filter(where)


def searched(access: Access, asked: Filter) -> tuple[Reader, Q]:
    """Return a reader and a condition that together leave the memories of `found_rows`, live or
    not. Raises the same errors."""
    readers = _readers(access, asked)
    if len(readers) == 1:
        return readers[0], asked.where
    return EVERYONE, _any_of([reader.where() for reader in readers]) & asked.where


def own_rows(access: Access, asked: Filter) -> MemoryQuerySet:
    """Return the memories that the filter finds and the caller may change, also those that are not
    live. A call for one user changes no shared memory."""
    readers = _readers(access, asked)
    mine = [one.where() if one.everyone else Reader.exactly(one.user_id).where() for one in readers]
    return Memory.objects.in_space(access.space).filter(_any_of(mine) & asked.where)


def _readers(access: Access, asked: Filter) -> list[Reader]:
    """Return the readers whose memories the filter may find. Without a user, a key may act for any
    user, but only the scope `admin` lists the memories of all without naming anything."""
    named = [reader_of(access, name) for name in sorted(asked.users)]
    if access.reader != SHARED or asked.reach == Reach.OPEN:
        return [access.reader, *named]
    return [EVERYONE if asked.reach == Reach.NAMED else reader_of(access, ANYBODY)]


def reader_of(access: Access, name: str) -> Reader:
    """Return the reader of this user, whom a filter names.

    Raises Forbidden if the caller may not act for the user, InvalidArguments if the header names
    another one.
    """
    acting = access.acting_for(name)
    if access.reader.user_id not in (None, name):
        raise InvalidArguments(FieldError("user_id", "the request names two users"))
    return acting.reader


def _any_of(conditions: Sequence[Q]) -> Q:
    """Return the condition that one of these is true; an empty one is always true."""
    return reduce(or_, conditions) if all(conditions) else Q()
