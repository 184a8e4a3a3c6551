"""Heartbeats of background workers and of beat."""

from datetime import datetime

from memory.models import WorkerHeartbeat

BEAT = "beat"
"""The name under which beat records its heartbeat; workers use the name of their queue."""


def record_heartbeat(*, queue: str, now: datetime) -> None:
    """Record that a worker of this queue, or beat, is running at this moment."""
    WorkerHeartbeat.objects.update_or_create(queue=queue, defaults={"at": now})
