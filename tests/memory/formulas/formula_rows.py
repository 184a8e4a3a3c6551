"""Rows for the formula twins: a table of the tests' own, and what stands in it.

Its columns have the types the project uses (an integer use count, a NULL expiry), because a
formula that works on literals may divide integers or skip a NULL once it meets a column.
"""

import math
from datetime import UTC, datetime, timedelta
from random import Random

from django.apps.registry import Apps
from django.db import models

NOW = datetime(2026, 2, 18, 12, 30, 15, 123_456, tzinfo=UTC)


class Row(models.Model):
    """The input of the formulas, as a table without an app and without a migration."""

    importance = models.FloatField()
    persistence = models.FloatField()
    judgement = models.FloatField()
    information = models.FloatField()
    valence = models.FloatField()
    intensity = models.FloatField()
    distance = models.FloatField(null=True)
    rank = models.FloatField()
    best_rank = models.FloatField()
    use_count = models.PositiveIntegerField()
    whole_days = models.PositiveIntegerField()
    core = models.BooleanField()
    pinned = models.BooleanField()
    created_at = models.DateTimeField()
    last_active_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    event_at = models.DateTimeField(null=True)
    event_precision = models.TextField()

    class Meta:
        app_label = "formula_twins"
        apps = Apps()

    def __str__(self) -> str:
        return f"row {self.pk}: {vars(self)}"


def rows() -> list[Row]:
    """300 rows: the edges of every formula mixed with chance, the same on every run."""
    random = Random(7)  # repeatable on purpose
    edges = [0.0, 5e-324, 1.0, 0.3, 0.5, 0.7, math.nextafter(0.7, 0), math.nextafter(0.3, 0), 0.925]
    gaps = [timedelta(0), timedelta(microseconds=1), timedelta(hours=24), -timedelta(days=1)]

    def part() -> float:
        return random.choice(edges) if random.random() < 0.4 else random.random()

    def moment(days: float) -> datetime:
        chance = timedelta(days=random.uniform(-1, days))
        return NOW - (random.choice(gaps) if random.random() < 0.3 else chance)

    return [
        Row(
            importance=part(),
            persistence=part() * random.choice([1, 1, 2, -1]),
            judgement=part(),
            information=part(),
            valence=random.choice([-1.0, -1e-9, 0.0, 1.0, random.uniform(-1, 1)]),
            intensity=part() * random.choice([1, 1, 3, -1]),
            distance=random.choice([None, math.nan, -1e-7, 0.0, 2.0, part(), 2 * part(), part()]),
            rank=part() / 7,
            best_rank=random.choice([0.0, 1 / 7, part() / 7 + 1e-3]),
            use_count=random.choice([0, 1, 3, 14, 100_000, random.randrange(50)]),
            whole_days=random.choice([0, 1, 30, 45, 40_000, random.randrange(400)]),
            core=random.random() < 0.2,
            pinned=random.random() < 0.2,
            created_at=moment(4000),
            last_active_at=random.choice([None, moment(400)]),
            expires_at=random.choice([None, moment(60), NOW + timedelta(days=30), NOW]),
            event_at=random.choice([None, moment(60), NOW, NOW + timedelta(days=40)]),
            event_precision=random.choice(["day", "month", "year"]),
        )
        for _ in range(300)
    ]
