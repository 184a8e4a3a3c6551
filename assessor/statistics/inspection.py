"""Statistics for the Assessments page: success rate, latency and cost.

The figures of a space, and the figures of all models, are each one SQL aggregate over the last
PERIOD. Pages compare them with the targets of seed 001.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import Aggregate, Avg, Count, FloatField, Min, Q, Sum

from accounts.models import Space
from assessor.assessing import LOCAL_MODEL
from assessor.models import Assessment, AssessmentQuerySet, State

PERIOD = timedelta(days=30)
# Seed 001, "Performance Targets".
TARGET_SUCCESS = 0.95
TARGET_LATENCY_MS = 300.0
TARGET_COST_USD = 0.0001
MODELS = 20
"""The number of models in the table of figures."""


class _Percentiles(Aggregate):
    """The median and the 95th percentile, interpolated: [p50, p95], or None without rows."""

    function = "percentile_cont"
    template = "%(function)s(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = ArrayField(FloatField())


@dataclass(frozen=True)
class Measured:
    """The figures with a target in seed 001.

    Latencies are in milliseconds as [p50, p95]. The cost in US dollars covers the `priced`
    assessments.
    """

    assessed: int
    failed: int
    latency: list[float] | None
    cost: float | None
    priced: int

    @property
    def success(self) -> float | None:
        """The share of finished assessments that did not fail."""
        return _share(self.assessed, self.assessed + self.failed)

    @property
    def cost_each(self) -> float | None:
        """The cost per priced assessment; None while none has a price."""
        return None if self.cost is None else self.cost / self.priced

    @property
    def is_quick(self) -> bool:
        """True if the 95th percentile, not only the median, meets the latency target."""
        return self.latency is not None and self.latency[1] < TARGET_LATENCY_MS

    @property
    def is_reliable(self) -> bool:
        """True if the success rate exceeds the target."""
        return self.success is not None and self.success > TARGET_SUCCESS

    @property
    def is_cheap(self) -> bool:
        """True if the cost rounds to the target or less: seed 001 says "about"."""
        return self.cost_each is not None and self.cost_each < 1.5 * TARGET_COST_USD


@dataclass(frozen=True)
class ModelFigures(Measured):
    """The figures of one model, or of the built-in assessor."""

    model: str
    finished: int

    @property
    def is_builtin(self) -> bool:
        """True for the built-in assessor."""
        return self.model == LOCAL_MODEL


@dataclass(frozen=True)
class Figures(Measured):
    """The figures of a space.

    `since` is the time of the oldest assessment. `cascaded` is the number of exchanges that went to
    the built-in assessor first, `asked_model` the number of those that then went to the model. For
    `agreed` of these, both results were on the same side of the policy's store_above.
    """

    since: datetime | None
    waiting: int
    by_model: int
    model_latency: list[float] | None
    all_tokens: int | None
    tokens_each: float | None
    unpriced: int
    cascaded: int
    asked_model: int
    agreed: int

    @property
    def cost_each(self) -> float | None:
        """The cost per priced assessment; None while no model answer has a price.

        The built-in assessor's price of 0 alone would say nothing.
        """
        if self.unpriced and self.unpriced == self.by_model:
            return None
        return super().cost_each

    @property
    def saved(self) -> float | None:
        """The share of cascade exchanges for which no model was asked."""
        return _share(self.cascaded - self.asked_model, self.cascaded)

    @property
    def agreement(self) -> float | None:
        """The share of the cascade exchanges sent to the model for which both assessors agreed."""
        return _share(self.agreed, self.asked_model)


# Edited messages end without an assessment, so they are not counted.
_ASSESSED = Q(state__in=[State.DONE, State.IGNORED], importance__isnull=False)
_BY_MODEL = _ASSESSED & Q(provider="llm")
_FAILED = Q(state=State.FAILED)


def figures_of(*, space: Space, store_above: float, now: datetime) -> Figures:
    """Return the figures of this space since `now` - PERIOD; a span counts once."""
    return Figures(
        **_recent(space, now).aggregate(
            since=Min("created_at"),
            model_latency=_Percentiles("latency_ms", filter=_BY_MODEL),
            all_tokens=Sum("tokens", filter=_ASSESSED),
            tokens_each=Avg("tokens", filter=_ASSESSED),
            **_measured(),
            **_counts(_counted(store_above)),
        )
    )


def figures_by_model(*, space: Space, now: datetime) -> list[ModelFigures]:
    """Return the figures of each model since `now` - PERIOD, the most used first, at most MODELS.

    An exchange that failed counts for the model that was asked last.
    """
    finished = _recent(space, now).filter(_ASSESSED | _FAILED).exclude(model="")
    groups = finished.values("model").annotate(**_measured())
    ranked = groups.annotate(finished=Count("pk")).order_by("-finished", "model")[:MODELS]
    return [ModelFigures(**cast(dict[str, Any], group)) for group in ranked]


def _recent(space: Space, now: datetime) -> AssessmentQuerySet:
    """Return the assessments since `now` - PERIOD; a span counts once."""
    rows: AssessmentQuerySet = Assessment.objects.in_space(space)
    return rows.filter(created_at__gt=now - PERIOD, part_of__isnull=True)


def _measured() -> dict[str, Aggregate]:
    """Return the aggregates of Measured, by the names of its fields."""
    return {
        "latency": _Percentiles("latency_ms", filter=_ASSESSED),
        "cost": Sum("cost_usd", filter=_ASSESSED),
        **_counts(
            {
                "assessed": _ASSESSED,
                "failed": _FAILED,
                "priced": _ASSESSED & Q(cost_usd__isnull=False),
            }
        ),
    }


def _counts(conditions: Mapping[str, Q]) -> dict[str, Aggregate]:
    return {name: Count("state", filter=which) for name, which in conditions.items()}


def _counted(store_above: float) -> dict[str, Q]:
    """Return the condition of each count, by the name of the figure."""
    cascaded = _ASSESSED & Q(first_importance__isnull=False)
    asked_model = cascaded & _BY_MODEL
    same_side = Q(first_importance__gte=store_above, importance__gte=store_above) | Q(
        first_importance__lt=store_above, importance__lt=store_above
    )
    return {
        "waiting": Q(state__in=[State.QUEUED, State.RUNNING, State.RETRYING]),
        "by_model": _BY_MODEL,
        "unpriced": _BY_MODEL & Q(cost_usd__isnull=True),
        "cascaded": cascaded,
        "asked_model": asked_model,
        "agreed": asked_model & same_side,
    }


# Jumps from each name to the next by the index: DISTINCT would read every assessment.
_MODELS = """
    WITH RECURSIVE each(model) AS (
        (SELECT model FROM assessor_assessment WHERE space_id = %(space)s AND model <> ''
         ORDER BY model LIMIT 1)
        UNION ALL
        SELECT (SELECT model FROM assessor_assessment
                WHERE space_id = %(space)s AND model <> '' AND model > each.model
                ORDER BY model LIMIT 1)
        FROM each WHERE each.model IS NOT NULL
    )
    SELECT model FROM each WHERE EXISTS (
        SELECT FROM assessor_assessment assessed
        WHERE assessed.space_id = %(space)s AND assessed.model <> '' AND assessed.model = each.model
            AND assessed.created_at > %(since)s AND assessed.part_of_id IS NULL
    ) LIMIT 50
"""


def models_of(space: Space, now: datetime) -> list[str]:
    """Return the models used in this space since `now` - PERIOD, by name, at most 50."""
    with connection.cursor() as cursor:
        cursor.execute(_MODELS, {"space": space.pk, "since": now - PERIOD})
        return [model for (model,) in cursor.fetchall()]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
