"""Signs of life of background workers."""

from datetime import datetime

from memory.models import WorkerHeartbeat


def record_heartbeat(*, queue: str, now: datetime) -> None:
    """Notes that a worker of this queue takes work at this moment."""
    WorkerHeartbeat.objects.update_or_create(queue=queue, defaults={"at": now})
