"""Whether background work is being done."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class WorkerHeartbeat(models.Model):
    """When a worker last said that it lives (config.celery). One row per queue."""

    queue = models.CharField(_("queue"), max_length=60, primary_key=True)
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("worker heartbeat")
        verbose_name_plural = _("worker heartbeats")

    def __str__(self) -> str:
        return f"{self.queue} · {self.at:%F %T}"
