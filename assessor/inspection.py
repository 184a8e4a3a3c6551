"""What the Assessments page says of a space: how often judging works, how fast, at what price.

Everything comes from one SQL aggregate over the last PERIOD, beside the targets of seed 001.
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
    """Counts are of assessments; latencies in milliseconds as [p50, p95]; money in US dollars.
    `since` is the oldest one's time.

    `cascaded` went to the built-in judge first, `asked_model` of them to the model as well, and
    in `agreed` of these both came down on the same side of the policy's store_above.
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
        """The share of finished assessments that were judged."""
        return _share(self.judged, self.judged + self.failed)

    @property
    def cost_each(self) -> float | None:
        """None while no answer of a model has a price: the built-in judge's 0 says nothing."""
        if self.cost is None or (self.unpriced and self.unpriced == self.by_model):
            return None
        return self.cost / self.priced

    @property
    def saved(self) -> float | None:
        """The share of the cascade's exchanges for which no model was asked."""
        return _share(self.cascaded - self.asked_model, self.cascaded)

    @property
    def agreement(self) -> float | None:
        return _share(self.agreed, self.asked_model)

    @property
    def is_quick(self) -> bool:
        """Whether the slower end keeps the target, not only the middle."""
        return self.latency is not None and self.latency[1] < TARGET_LATENCY_MS

    @property
    def is_reliable(self) -> bool:
        return self.success is not None and self.success > TARGET_SUCCESS

    @property
    def is_cheap(self) -> bool:
        """Whether it rounds to the target or to less: seed 001 says "about"."""
        return self.cost_each is not None and self.cost_each < 1.5 * TARGET_COST_USD


# What was said anew meanwhile ended without a judgement.
_JUDGED = Q(state__in=[State.DONE, State.IGNORED], importance__isnull=False)
_BY_MODEL = _JUDGED & Q(provider="llm")


def figures_of(*, space: Space, store_above: float, now: datetime) -> Figures:
    """How judging went in this space since `now` - PERIOD; a span of exchanges is judged once."""
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
    """What is counted, by the names of the figures."""
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


# From each name to the next one, by the index: DISTINCT would read every assessment.
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
    """The models that have judged in this space since `now` - PERIOD, by name, at most 50."""
    with connection.cursor() as cursor:
        cursor.execute(_MODELS, {"space": space.pk, "since": now - PERIOD})
        return [model for (model,) in cursor.fetchall()]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
