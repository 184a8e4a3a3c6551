"""Keyset pagination: a page begins after the last row of the one before it.

The order is one column and then the id, so it is total; NULLs come last in either direction. A
cursor holds the last row's two values. Rows that come or go between two calls shift nothing.
"""

import base64
import binascii
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db.models import F, Model, Q, QuerySet

from memory.errors import FieldError, InvalidArguments

Row = TypeVar("Row", bound=Model)


class Keyset(Generic[Row]):
    """An order over a queryset, e.g. "-created_at"; ties are broken by id."""

    def __init__(self, order: str, *, parse: Callable[[Any], Any] | None = None) -> None:
        self.field = order.removeprefix("-")
        self.descending = order.startswith("-")
        self.parse = parse or (lambda value: value)

    def page(
        self, rows: QuerySet[Row], *, limit: int, cursor: str | None
    ) -> tuple[list[Row], str | None]:
        """Up to `limit` rows after the cursor, and the cursor of the next page if there is one.

        Raises InvalidArguments for a cursor that this order did not make.
        """
        column = F(self.field)
        first = column.desc(nulls_last=True) if self.descending else column.asc(nulls_last=True)
        if cursor is not None:
            rows = rows.filter(self._after(*self._decode(cursor)))
        found = list(rows.order_by(first, "pk")[: limit + 1])
        if len(found) <= limit:
            return found, None
        return found[:limit], self._encode(found[limit - 1])

    def _after(self, value: Any, pk: UUID) -> Q:
        if value is None:
            return Q(**{f"{self.field}__isnull": True, "pk__gt": pk})
        further = "lt" if self.descending else "gt"
        return (
            Q(**{f"{self.field}__{further}": value})
            | Q(**{self.field: value, "pk__gt": pk})
            | Q(**{f"{self.field}__isnull": True})
        )

    def _encode(self, row: Row) -> str:
        value = getattr(row, self.field)
        if isinstance(value, datetime):
            value = value.isoformat()
        return base64.urlsafe_b64encode(json.dumps([value, str(row.pk)]).encode()).decode()

    def _decode(self, cursor: str) -> tuple[Any, UUID]:
        try:
            value, pk = json.loads(base64.urlsafe_b64decode(cursor))
            return (None if value is None else self.parse(value)), UUID(pk)
        except (binascii.Error, ValueError, TypeError, AttributeError):
            raise InvalidArguments(FieldError("cursor", "not a cursor of this list")) from None


def keyset(order: str) -> "Keyset[Any]":
    """The keyset for an order by time or by number, told from the column's name."""
    if order.removeprefix("-").endswith("_at"):
        return Keyset(order, parse=datetime.fromisoformat)
    return Keyset(order, parse=float)
