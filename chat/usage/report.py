"""The usage of models for the page: sums by day, and by connection, model and purpose."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet, Sum

from memory.model_connections.choosing import Prices, prices_of
from memory.models import ModelConnection, ModelUsage, UsagePurpose

DAYS = 30
LISTED = 200
"""The number of rows in the table by connection."""
_SUMS = ("calls", "failed", "unpriced", "prompt_tokens", "completion_tokens", "cost_usd")


@dataclass(frozen=True)
class Sums:
    """Sums of some calls. The cost leaves out `unpriced` calls."""

    calls: int = 0
    failed: int = 0
    unpriced: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0

    @property
    def tokens(self) -> int:
        """The tokens of prompts and answers."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def cost(self) -> float | None:
        """The cost, None if it is known for no call."""
        return None if self.calls and self.unpriced + self.failed == self.calls else self.cost_usd


@dataclass(frozen=True)
class Row:
    """The usage of one model for one purpose, and the present prices of its connection."""

    connection: str
    model: str
    purpose: Any
    sums: Sums
    prices: Prices


@dataclass(frozen=True)
class Day:
    """The usage of a day: its tokens by purpose, in the order of UsagePurpose, and its sums."""

    day: date
    tokens: dict[str, int]
    sums: Sums


@dataclass(frozen=True)
class Report:
    """The usage of the last DAYS, the oldest day first."""

    days: Sequence[Day]
    rows: Sequence[Row]
    total: Sums


def usage_report(rows: QuerySet[ModelUsage], today: date) -> Report:
    """Return the report of these rows."""
    recent = rows.filter(day__gt=today - timedelta(days=DAYS), day__lte=today).order_by()
    sums = {name: Sum(name) for name in _SUMS}
    total = recent.aggregate(**{name: Sum(name, default=0) for name in _SUMS})
    return Report(_days(recent, today), _rows(recent, sums), Sums(**total))


def _days(recent: QuerySet[ModelUsage], today: date) -> list[Day]:
    purposes = {
        value: Sum("prompt_tokens", filter=Q(purpose=value), default=0)
        + Sum("completion_tokens", filter=Q(purpose=value), default=0)
        for value in UsagePurpose.values
    }
    sums = {f"all_{name}": Sum(name) for name in _SUMS}
    grouped: Any = recent.values("day").annotate(**purposes, **sums)
    found: dict[date, dict[str, Any]] = {row["day"]: row for row in grouped}
    days = []
    for back in range(DAYS - 1, -1, -1):
        day = today - timedelta(days=back)
        row = found.get(day, {})
        tokens = {value: row.get(value, 0) for value in UsagePurpose.values}
        days.append(Day(day, tokens, Sums(*(row.get(f"all_{name}", 0) for name in _SUMS))))
    return days


def _rows(recent: QuerySet[ModelUsage], sums: dict[str, Sum]) -> list[Row]:
    groups: Any = recent.values("connection_id", "connection_name", "model", "purpose")
    groups = groups.annotate(**sums)
    prices = _prices()
    labels = dict(UsagePurpose.choices)
    return [
        Row(
            group["connection_name"],
            group["model"],
            labels[group["purpose"]],
            Sums(*(group[name] for name in _SUMS)),
            prices.get(group["connection_id"], Prices()),
        )
        for group in groups.order_by("-cost_usd", "-prompt_tokens", "model", "purpose")[:LISTED]
    ]


def _prices() -> dict[UUID | None, Prices]:
    return {connection.pk: prices_of(connection) for connection in ModelConnection.objects.all()}
