"""Standing decisions: a user's decision for all further memories sent to review for the same
reason.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Value
from django.db.models.functions import MD5
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.space_rows import SpaceRow
from memory.models.reasons import in_words


class ReviewRuleQuerySet(models.QuerySet["ReviewRule"]):
    """Queries on standing decisions; each begins with `in_space`."""

    def in_space(self, space: Space) -> ReviewRuleQuerySet:
        """Return the decisions of this space."""
        return self.filter(space_id=space.pk)

    def on(self, kind: str) -> ReviewRuleQuerySet:
        """Return the decision on this kind of reason, through the index."""
        return self.filter(kind_digest=MD5(Value(kind)))


class ReviewRule(SpaceRow):
    """A decision to always approve or reject memories in review for this kind of reason
    (models.review_reasons).
    """

    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    kind = models.TextField(_("reason type"))
    # A kind may be too long for an index.
    kind_digest = models.GeneratedField(
        expression=MD5("kind"), output_field=models.CharField(max_length=32), db_persist=True
    )
    approve = models.BooleanField(_("approve"))
    made_by = models.CharField(_("created by"), max_length=150)
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    objects: ClassVar[models.Manager[ReviewRule]] = ReviewRuleQuerySet.as_manager()

    class Meta:
        verbose_name = _("review rule")
        verbose_name_plural = _("review rules")
        constraints = [
            models.UniqueConstraint(fields=["space", "kind_digest"], name="review_rule_once")
        ]

    def __str__(self) -> str:
        return in_words(self.kind)[:60]
