"""Counts of what happened to a memory, from which importance learns (docs/importance.md)."""

from django.db import models
from django.db.models import Expression, F

from memory.formulas import importance_sql
from memory.formulas.importance import adjustment

COUNTS = ("times_used", "times_unused", "confirmations", "objections")
"""The columns, in the order of the formula's arguments."""


def effective_importance() -> Expression:
    """Return SQL for the effective importance, in [0, 1], of rows with `current_importance`."""
    learned = importance_sql.adjustment(*map(F, COUNTS))
    return importance_sql.effective_importance(F("current_importance"), learned)


class Learned(models.Model):
    """The counts of a memory. The adjustment is computed from them at each read.

    Answers that used the memory, and answers that did not although it was sent; decisions of people
    for the memory, and against it.
    """

    times_used = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    times_unused = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    confirmations = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    objections = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        abstract = True

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The counts, in the order of COUNTS."""
        return self.times_used, self.times_unused, self.confirmations, self.objections

    @property
    def adjustment(self) -> float:
        """The adjustment of the importance, within ±0.15."""
        return adjustment(*self.counts)
