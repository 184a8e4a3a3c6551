"""Heartbeats of background workers."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class WorkerHeartbeat(models.Model):
    """The last sign of life (config.celery): one row per queue of workers, and one for beat."""

    queue = models.CharField(_("queue"), max_length=60, primary_key=True)
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("worker heartbeat")
        verbose_name_plural = _("worker heartbeats")

    def __str__(self) -> str:
        return f"{self.queue} · {self.at:%F %T}"
