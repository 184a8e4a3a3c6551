"""Keyset pagination: a page begins after the last row of the one before it.

The order is one column and then the id in the same direction, so it is total, and one index serves
both ways; NULLs come last in either direction. A cursor holds the last row's two values. Rows that
come or go between two calls shift nothing. An order by what depends on the clock also needs the
moment at which the list was begun: the cursor holds it, because a later page computed by a later
clock would repeat rows or leave some out.

A cursor is `VALUE~ID` or `VALUE~ID~CLOCK`, times in microseconds: so one pattern says exactly which
texts are cursors, and the API's document can say it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from django.core.exceptions import FieldDoesNotExist
from django.db.models import F, Model, Q, QuerySet, UUIDField

from memory.errors import FieldError, InvalidArguments

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
    """A page of what a search found. `until`: how far it has looked, if it stopped before the end
    for having looked at enough; `following` then goes on from there."""

    rows: list[Row]
    following: str | None
    until: Any = None


class Keyset(Generic[Row]):
    """An order over a queryset, e.g. "-created_at"; ties are broken by id. `nulls`: whether there
    may be any, where the column allows them; an index then serves a later page less well."""

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
        """Up to `limit` rows after the cursor, and the cursor of the next page if there is one.

        `as_of` is the clock the rows were computed by, if any: `clock_of` reads it back.
        Raises InvalidArguments for a cursor that this order did not make.
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
        """Up to `limit` rows that fit, of the next `through` after the cursor: for a search that
        no index answers, in an order that one gives. Without `fitting` nothing is searched for, and
        it is a plain page. Raises InvalidArguments."""
        if fitting is None:
            return Searched(*self.page(rows, limit=limit, cursor=cursor))
        places = self._ordered(rows, cursor).values_list(self.field, "pk")
        ends = list(places[through - 1 : through + 1])
        if len(ends) < 2:  # there are no more
            return Searched(*self.page(fitting(rows), limit=limit, cursor=cursor))
        value, pk = ends[0]
        looked_at = rows.filter(self._up_to(value, pk))
        found, following = self.page(fitting(looked_at), limit=limit, cursor=cursor)
        if following is not None:
            return Searched(found, following)
        return Searched(found, _encoded(value, pk, None), value)

    def _ordered(self, rows: QuerySet[Row], cursor: str | None) -> QuerySet[Row]:
        """All that follow the cursor."""
        last = True if self._nullable(rows.model) else None
        column = F(self.field)
        first = column.desc(nulls_last=last) if self.descending else column.asc(nulls_last=last)
        if cursor is not None:
            value, pk = self._place(cursor, rows.model)
            rows = rows.filter(self._after(value, pk, nullable=bool(last)))
        return rows.order_by(first, "-pk" if self.descending else "pk")

    def _place(self, cursor: str, model: type[Row]) -> tuple[Any, Any]:
        """(the order's value or None, id) of the last row shown."""
        value, pk, _clock = _parts(cursor)
        if isinstance(model._meta.pk, UUIDField) == pk.isdigit():
            raise _not_ours()
        return None if value == "none" else self.parse(value), model._meta.pk.to_python(pk)

    def _nullable(self, model: type[Row]) -> bool:
        """Said of columns only: what is computed is never NULL. An index on a column that cannot be
        NULL serves the order as long as it does not speak of NULLs."""
        try:
            return self.nulls and bool(model._meta.get_field(self.field).null)
        except FieldDoesNotExist:
            return False

    def _after(self, value: Any, pk: Any, *, nullable: bool) -> Q:
        further = "lt" if self.descending else "gt"
        if value is None:
            return Q(**{f"{self.field}__isnull": True, f"pk__{further}": pk})
        # The bound stands alone as well, so that an index can begin there.
        after = Q(**{f"{self.field}__{further}e": value}) & (
            Q(**{f"{self.field}__{further}": value}) | Q(**{f"pk__{further}": pk})
        )
        return after | Q(**{f"{self.field}__isnull": True}) if nullable else after

    def _up_to(self, value: Any, pk: Any) -> Q:
        """Not behind this place, in an order without NULLs."""
        nearer = "gt" if self.descending else "lt"
        return Q(**{f"{self.field}__{nearer}e": value}) & (
            Q(**{f"{self.field}__{nearer}": value}) | Q(**{f"pk__{nearer}e": pk})
        )


def keyset(order: str, *, nulls: bool = True) -> "Keyset[Any]":
    """The keyset for an order by time or by number, told from the column's name."""
    is_time = order.lstrip("-").split("_")[-1] == "at"
    return Keyset(order, parse=_moment if is_time else float, nulls=nulls)


def _encoded(value: Any, pk: Any, as_of: datetime | None) -> str:
    place = [_text(value), str(pk)]
    return "~".join([*place, _text(as_of)] if as_of else place)


def clock_of(cursor: str | None, *, default: datetime) -> datetime:
    """The moment at which the list of this cursor was begun; raises InvalidArguments."""
    clock = _parts(cursor)[2] if cursor else ""
    return _moment(clock) if clock else default


def _parts(cursor: str) -> tuple[str, str, str]:
    """(the order's value or "none", id, clock or "") of the last row shown."""
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
    """Since the year 1; beyond the calendar is its end."""
    exact = int(microseconds) if microseconds.isdigit() else int(float(microseconds))
    return _FIRST + timedelta(microseconds=min(exact, _LAST))
