"""Keyset pagination: a page begins after the last row of the one before it.

The order is one column and then the id in the same direction, so it is total, and one index serves
both ways; NULLs come last in either direction. A cursor holds the last row's two values. Rows that
come or go between two calls shift nothing. An order by what depends on the clock also needs the
moment at which the list was begun: the cursor holds it, because a later page computed by a later
clock would repeat rows or leave some out.
"""

import base64
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import F, Model, Q, QuerySet

from memory.errors import FieldError, InvalidArguments

Row = TypeVar("Row", bound=Model)
Rows = TypeVar("Rows", bound=QuerySet[Any])

# Ours have up to 180 characters; JSON nested without end would overflow the parser's stack.
MAX_CURSOR = 400


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

    def __init__(self, order: str, *, parse: Callable[[Any], Any], nulls: bool) -> None:
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
        fitting: Callable[[Rows], QuerySet[Row]],
        *,
        limit: int,
        cursor: str | None,
        through: int,
    ) -> Searched[Row]:
        """Up to `limit` rows that fit, of the next `through` after the cursor: for a search that
        no index answers, in an order that one gives. Raises InvalidArguments."""
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
        value, pk, _clock = _decoded(cursor)
        try:
            return None if value is None else self.parse(value), model._meta.pk.to_python(pk)
        except (ValueError, TypeError, AttributeError, OverflowError, ValidationError):
            raise _not_ours() from None

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
    return Keyset(order, parse=_moment if is_time else _number, nulls=nulls)


def _encoded(value: Any, pk: Any, as_of: datetime | None) -> str:
    place = [
        value.isoformat() if isinstance(value, datetime) else value,
        str(pk),
        as_of.isoformat() if as_of else None,
    ]
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode()


def clock_of(cursor: str | None, *, default: datetime) -> datetime:
    """The moment at which the list of this cursor was begun; raises InvalidArguments."""
    return (_decoded(cursor)[2] if cursor else None) or default


def _decoded(cursor: str) -> tuple[Any, str, datetime | None]:
    """(the order's value, id, clock or None) of the last row shown, as the cursor has them."""
    try:
        if len(cursor) > MAX_CURSOR:
            raise ValueError("too long")
        value, pk, clock = json.loads(base64.urlsafe_b64decode(cursor))
        return value, str(pk), None if clock is None else _moment(clock)
    except (ValueError, TypeError, AttributeError, OverflowError):
        raise _not_ours() from None


def _not_ours() -> InvalidArguments:
    return InvalidArguments(FieldError("cursor", "not a cursor of this list"))


def _moment(value: Any) -> datetime:
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError("without a time zone")
    return moment


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("not a number")
    return number
