"""Keyset pagination: a page begins after the last row of the previous page.

The order is one column and then the id in the same direction, so it is total, and one index serves
both directions; NULLs come last in either. A cursor contains the last row's two values, so rows
added or removed between two calls do not shift the pages. An order by values that depend on the
clock also needs the time at which the list was begun. The cursor contains it, because a later page
computed by a later clock would repeat rows or leave some out.

A cursor is `VALUE~ID` or `VALUE~ID~CLOCK`, times in microseconds: one pattern defines exactly which
texts are cursors, and the API's document can state it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from django.core.exceptions import FieldDoesNotExist
from django.db.models import F, Model, Q, QuerySet, UUIDField

from foundation.errors import FieldError, InvalidArguments

Row = TypeVar("Row", bound=Model)
Rows = TypeVar("Rows", bound=QuerySet[Any])

_PLACE = r"(none|[0-9]{1,18}(\.[0-9]{1,25})?(e-[0-9]{1,3})?)"
_CLOCK = "(~[0-9]{1,18})?"
CURSOR = f"^{_PLACE}~[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}{_CLOCK}$"
"""A cursor of rows with UUIDs."""
NUMBERED_CURSOR = f"^{_PLACE}~[0-9]{{1,18}}{_CLOCK}$"
"""A cursor of numbered rows."""
_EITHER = re.compile(f"{CURSOR}|{NUMBERED_CURSOR}", re.ASCII)

_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = (datetime.max.replace(tzinfo=UTC) - _FIRST) // timedelta(microseconds=1)


@dataclass(frozen=True)
class Searched(Generic[Row]):
    """A page of search results. `until` is the place at which a search stopped early because it had
    read enough rows; `following` continues from there.
    """

    rows: list[Row]
    following: str | None
    until: Any = None


class Keyset(Generic[Row]):
    """An order over a queryset, e.g. "-created_at"; ties are broken by id. `nulls=False` declares
    that a nullable column has no NULLs; an index then serves later pages better.
    """

    def __init__(self, order: str, *, parse: Callable[[str], Any], nulls: bool) -> None:
        self.field = order.removeprefix("-")
        self.descending = order.startswith("-")
        self.parse = parse
        self.nulls = nulls

    def page(
        self,
        rows: QuerySet[Row],
        *,
        limit: int,
        cursor: str | None,
        as_of: datetime | None = None,
    ) -> tuple[list[Row], str | None]:
        """Return up to `limit` rows after the cursor, and the cursor of the next page if there is
        one.

        `as_of` is the clock the rows were computed by, if any: `clock_of` reads it back. Raises
        InvalidArguments for a cursor that this order did not make.
        """
        found = list(self._ordered(rows, cursor)[: limit + 1])
        if len(found) <= limit:
            return found, None
        last = found[limit - 1]
        return found[:limit], _encoded(getattr(last, self.field), last.pk, as_of)

    def searched(
        self,
        rows: Rows,
        fitting: Callable[[Rows], QuerySet[Row]] | None,
        *,
        limit: int,
        cursor: str | None,
        through: int,
    ) -> Searched[Row]:
        """Return up to `limit` fitting rows among the next `through` after the cursor.

        For a search without an index, in an order that has one. Without `fitting` the result is a
        plain page. Raises InvalidArguments.
        """
        if fitting is None:
            return Searched(*self.page(rows, limit=limit, cursor=cursor))
        places = self._ordered(rows, cursor).values_list(self.field, "pk")
        ends = list(places[through - 1 : through + 1])
        if len(ends) < 2:  # no rows beyond `through`
            return Searched(*self.page(fitting(rows), limit=limit, cursor=cursor))
        value, pk = ends[0]
        looked_at = rows.filter(self._up_to(value, pk))
        found, following = self.page(fitting(looked_at), limit=limit, cursor=cursor)
        if following is not None:
            return Searched(found, following)
        return Searched(found, _encoded(value, pk, None), value)

    def _ordered(self, rows: QuerySet[Row], cursor: str | None) -> QuerySet[Row]:
        """Return all rows after the cursor, in order."""
        last = True if self._nullable(rows.model) else None
        column = F(self.field)
        first = column.desc(nulls_last=last) if self.descending else column.asc(nulls_last=last)
        if cursor is not None:
            value, pk = self._place(cursor, rows.model)
            rows = rows.filter(self._after(value, pk, nullable=bool(last)))
        return rows.order_by(first, "-pk" if self.descending else "pk")

    def _place(self, cursor: str, model: type[Row]) -> tuple[Any, Any]:
        """Return (the order's value or None, id) of the last row shown."""
        value, pk, _clock = _parts(cursor)
        if isinstance(model._meta.pk, UUIDField) == pk.isdigit():
            raise _not_ours()
        return None if value == "none" else self.parse(value), model._meta.pk.to_python(pk)

    def _nullable(self, model: type[Row]) -> bool:
        """Return True if the order is by a column that may be NULL; a computed value is never NULL.
        For a column that cannot be NULL the order must not mention NULLs, or its index is not used.
        """
        try:
            return self.nulls and bool(model._meta.get_field(self.field).null)
        except FieldDoesNotExist:
            return False

    def _after(self, value: Any, pk: Any, *, nullable: bool) -> Q:
        further = "lt" if self.descending else "gt"
        if value is None:
            return Q(**{f"{self.field}__isnull": True, f"pk__{further}": pk})
        # The bound is also a condition of its own, so that an index scan can begin there.
        after = Q(**{f"{self.field}__{further}e": value}) & (
            Q(**{f"{self.field}__{further}": value}) | Q(**{f"pk__{further}": pk})
        )
        return after | Q(**{f"{self.field}__isnull": True}) if nullable else after

    def _up_to(self, value: Any, pk: Any) -> Q:
        """Return the condition for rows up to this place, in an order without NULLs."""
        nearer = "gt" if self.descending else "lt"
        return Q(**{f"{self.field}__{nearer}e": value}) & (
            Q(**{f"{self.field}__{nearer}": value}) | Q(**{f"pk__{nearer}e": pk})
        )


def keyset(order: str, *, nulls: bool = True) -> "Keyset[Any]":
    """Return the keyset for an order by a time or a number, as the column's name says."""
    is_time = order.lstrip("-").split("_")[-1] == "at"
    return Keyset(order, parse=_moment if is_time else float, nulls=nulls)


def _encoded(value: Any, pk: Any, as_of: datetime | None) -> str:
    place = [_text(value), str(pk)]
    return "~".join([*place, _text(as_of)] if as_of else place)


def clock_of(cursor: str | None, *, default: datetime) -> datetime:
    """Return the time at which the list of this cursor was begun; raises InvalidArguments."""
    clock = _parts(cursor)[2] if cursor else ""
    return _moment(clock) if clock else default


def _parts(cursor: str) -> tuple[str, str, str]:
    """Return (the order's value or "none", id, clock or "") of the last row shown."""
    if not _EITHER.fullmatch(cursor):
        raise _not_ours()
    value, pk, *clock = cursor.split("~")
    return value, pk, "".join(clock)


def _not_ours() -> InvalidArguments:
    return InvalidArguments(FieldError("cursor", "is not a cursor of this list"))


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return str((value - _FIRST) // timedelta(microseconds=1))
    return "none" if value is None else str(value)


def _moment(microseconds: str) -> datetime:
    """Return the time so many microseconds after year 1 began, at most the calendar's end."""
    exact = int(microseconds) if microseconds.isdigit() else int(float(microseconds))
    return _FIRST + timedelta(microseconds=min(exact, _LAST))
