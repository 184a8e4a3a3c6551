"""Statistics for the Assessments page: success rate, latency and cost.

All figures come from one SQL aggregate over the last PERIOD and are compared with the targets of
seed 001.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import Aggregate, Avg, Count, FloatField, Min, Q, Sum

from assessor.models import Assessment, State
from memory.models import Space

PERIOD = timedelta(days=30)
# Seed 001, "Performance Metrics".
TARGET_SUCCESS = 0.95
TARGET_LATENCY_MS = 300.0
TARGET_COST_USD = 0.0001


class _Percentiles(Aggregate):
    """The median and the 95th percentile, interpolated: [p50, p95], or None without rows."""

    function = "percentile_cont"
    template = "%(function)s(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = ArrayField(FloatField())


@dataclass(frozen=True)
class Figures:
    """Counts of assessments, latencies in milliseconds as [p50, p95], and costs in US dollars.

    `since` is the time of the oldest assessment. `cascaded` exchanges went to the built-in assessor
    first, and `asked_model` of them also to the model. In `agreed` of these, both results were on
    the same side of the policy's store_above.
    """

    since: datetime | None
    waiting: int
    judged: int
    failed: int
    by_model: int
    latency: list[float] | None
    model_latency: list[float] | None
    all_tokens: int | None
    tokens_each: float | None
    cost: float | None
    priced: int
    unpriced: int
    cascaded: int
    asked_model: int
    agreed: int

    @property
    def success(self) -> float | None:
        """The share of finished assessments that did not fail."""
        return _share(self.judged, self.judged + self.failed)

    @property
    def cost_each(self) -> float | None:
        """The cost per priced assessment; None while no model answer has a price.

        The built-in assessor's price of 0 alone is not informative.
        """
        if self.cost is None or (self.unpriced and self.unpriced == self.by_model):
            return None
        return self.cost / self.priced

    @property
    def saved(self) -> float | None:
        """The share of cascade exchanges for which no model was asked."""
        return _share(self.cascaded - self.asked_model, self.cascaded)

    @property
    def agreement(self) -> float | None:
        """The share of cascade exchanges, of those sent to the model, where both
        assessors agreed.
        """
        return _share(self.agreed, self.asked_model)

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


# Edited messages end without an assessment, so they are not counted.
_JUDGED = Q(state__in=[State.DONE, State.IGNORED], importance__isnull=False)
_BY_MODEL = _JUDGED & Q(provider="llm")


def figures_of(*, space: Space, store_above: float, now: datetime) -> Figures:
    """Return the figures of this space since `now` - PERIOD; a span counts once."""
    rows = Assessment.objects.in_space(space).filter(
        created_at__gt=now - PERIOD, part_of__isnull=True
    )
    return Figures(
        **rows.aggregate(
            since=Min("created_at"),
            latency=_Percentiles("latency_ms", filter=_JUDGED),
            model_latency=_Percentiles("latency_ms", filter=_BY_MODEL),
            all_tokens=Sum("tokens", filter=_JUDGED),
            tokens_each=Avg("tokens", filter=_JUDGED),
            cost=Sum("cost_usd", filter=_JUDGED),
            **{name: Count("state", filter=which) for name, which in _counted(store_above).items()},
        )
    )


def _counted(store_above: float) -> dict[str, Q]:
    """Return the condition of each count, by the name of the figure."""
    cascaded = _JUDGED & Q(first_importance__isnull=False)
    asked_model = cascaded & _BY_MODEL
    same_side = Q(first_importance__gte=store_above, importance__gte=store_above) | Q(
        first_importance__lt=store_above, importance__lt=store_above
    )
    return {
        "waiting": Q(state__in=[State.QUEUED, State.RUNNING, State.RETRYING]),
        "judged": _JUDGED,
        "failed": Q(state=State.FAILED),
        "by_model": _BY_MODEL,
        "priced": _JUDGED & Q(cost_usd__isnull=False),
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
        SELECT FROM assessor_assessment judged
        WHERE judged.space_id = %(space)s AND judged.model <> '' AND judged.model = each.model
            AND judged.created_at > %(since)s AND judged.part_of_id IS NULL
    ) LIMIT 50
"""


def models_of(space: Space, now: datetime) -> list[str]:
    """Return the models used in this space since `now` - PERIOD, by name, at most 50."""
    with connection.cursor() as cursor:
        cursor.execute(_MODELS, {"space": space.pk, "since": now - PERIOD})
        return [model for (model,) in cursor.fetchall()]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
