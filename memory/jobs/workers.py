"""Heartbeats of background workers."""

from datetime import datetime

from memory.models import WorkerHeartbeat


def record_heartbeat(*, queue: str, now: datetime) -> None:
    """Record that a worker of this queue is running at this moment."""
    WorkerHeartbeat.objects.update_or_create(queue=queue, defaults={"at": now})
