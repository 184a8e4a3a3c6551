"""Counts the calls to models, and adds them to the day's sums (ModelUsage)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.db import connection

from accounts.models import Space
from foundation import metrics
from memory.model_connections.choosing import ChosenModel, Prices
from memory.models import ModelConnection, ModelUsage, UsagePurpose

MODEL_LENGTH = 120


@dataclass(frozen=True)
class ModelCall:
    """One request to a model, with its tokens and the seconds until its answer ended; None if they
    are unknown."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    failed: bool = False
    seconds: float | None = None

    def cost_usd(self, prices: Prices) -> float | None:
        """Return the cost by these prices; None if the tokens or a price of theirs are unknown."""
        cost = 0.0
        for tokens, price in zip((self.prompt_tokens, self.completion_tokens), prices, strict=True):
            if tokens is None or (tokens and price is None):
                return None
            cost += tokens * (price or 0.0) / 1_000_000
        return cost


@dataclass(frozen=True)
class UsageSource:
    """The model that was called, its connection, and its prices."""

    model: str
    prices: Prices = Prices()
    connection_id: UUID | None = None
    connection_name: str = ""

    @classmethod
    def of(cls, chosen: ChosenModel, model: str = "") -> Self:
        """Return the chosen model, or another model of its endpoint by name."""
        return cls.at(chosen.connection, model or chosen.model, chosen.prices)

    @classmethod
    def at(cls, at: ModelConnection | None, model: str, prices: Prices) -> Self:
        """Return a model of a connection, or of the environment."""
        return cls(model, prices, at.pk if at else None, at.name if at else "")


@dataclass
class UsageMeter:
    """The calls to a model that are not stored yet."""

    space: Space
    purpose: UsagePurpose
    source: UsageSource
    calls: list[ModelCall] = field(default_factory=list)

    @classmethod
    def of(cls, space: Space, purpose: UsagePurpose, chosen: ChosenModel, model: str = "") -> Self:
        """Return a meter of the chosen model, or of another model of its endpoint by name."""
        return cls(space, purpose, UsageSource.of(chosen, model))

    def store(self, now: datetime) -> None:
        """Add the calls to the day's sums, once."""
        calls, self.calls = self.calls, []
        record_usage(
            space=self.space, purpose=self.purpose, source=self.source, calls=calls, now=now
        )


# One statement, so that two workers that count at the same time lose nothing.
_ADD = f"""
    INSERT INTO {ModelUsage._meta.db_table} AS known
        (space_id, day, purpose, connection_id, connection_name, model,
         calls, failed, unpriced, prompt_tokens, completion_tokens, cost_usd)
    VALUES (%(space)s, %(day)s, %(purpose)s, %(connection_id)s, %(connection_name)s, %(model)s,
            %(calls)s, %(failed)s, %(unpriced)s, %(prompt)s, %(completion)s, %(cost)s)
    ON CONFLICT (space_id, day, purpose, connection_id, model) DO UPDATE SET
        connection_name = EXCLUDED.connection_name,
        calls = known.calls + EXCLUDED.calls,
        failed = known.failed + EXCLUDED.failed,
        unpriced = known.unpriced + EXCLUDED.unpriced,
        prompt_tokens = known.prompt_tokens + EXCLUDED.prompt_tokens,
        completion_tokens = known.completion_tokens + EXCLUDED.completion_tokens,
        cost_usd = known.cost_usd + EXCLUDED.cost_usd
"""  # noqa: S608 - the name of our own table


def record_usage(
    *,
    space: Space,
    purpose: UsagePurpose,
    source: UsageSource,
    calls: Sequence[ModelCall],
    now: datetime,
) -> None:
    """Add these calls to the day's sums and to the metrics. Costs follow the prices of this
    moment."""
    if not calls:
        return
    values: dict[str, Any] = {
        "space": space.pk,
        "day": now.date(),
        "purpose": purpose,
        "connection_id": source.connection_id,
        "connection_name": source.connection_name,
        "model": source.model.replace("\x00", "")[:MODEL_LENGTH],
    }
    sums = _sums(calls, source.prices)
    with connection.cursor() as cursor:
        cursor.execute(_ADD, values | sums)
    _export(purpose, source, calls, sums)


def _sums(calls: Sequence[ModelCall], prices: Prices) -> dict[str, float]:
    costs = [call.cost_usd(prices) for call in calls if not call.failed]
    return {
        "calls": len(calls),
        "failed": len(calls) - len(costs),
        "unpriced": costs.count(None),
        "prompt": sum(call.prompt_tokens or 0 for call in calls),
        "completion": sum(call.completion_tokens or 0 for call in calls),
        "cost": sum(cost for cost in costs if cost is not None),
    }


def _export(
    purpose: UsagePurpose, source: UsageSource, calls: Sequence[ModelCall], sums: dict[str, float]
) -> None:
    labels = (purpose.value, source.connection_name or "environment")
    for call in calls:
        metrics.model_calls.labels(*labels, "failed" if call.failed else "answered").inc()
        if call.seconds is not None:
            metrics.model_call_seconds.labels(*labels).observe(call.seconds)
    for kind in ("prompt", "completion"):
        metrics.model_tokens.labels(*labels, kind).inc(sums[kind])
    metrics.model_cost_usd.labels(*labels).inc(sums["cost"])
