"""The rules of a space, every version of them."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class PolicyVersion(models.Model):
    """One version of a space's policy; the one with the highest number holds."""

    space = models.ForeignKey("memory.Space", models.CASCADE, related_name="policy_versions")
    version = models.PositiveIntegerField(_("version"))
    document = models.JSONField(_("document"))
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    actor_type = models.CharField(_("kind of actor"), max_length=10)
    actor_name = models.CharField(_("actor"), max_length=150, blank=True)

    class Meta:
        verbose_name = _("policy version")
        verbose_name_plural = _("policy versions")
        constraints = [
            models.UniqueConstraint(fields=["space", "version"], name="policy_once_per_version")
        ]

    def __str__(self) -> str:
        return f"{self.space_id} · {self.version}"
