"""The tasks that beat starts, and when."""

from typing import Any

from celery.schedules import crontab


def _every(seconds: float, task: str) -> dict[str, Any]:
    """Return a schedule entry. Its tasks expire, so that they do not accumulate without
    a worker.
    """
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


BEAT = {
    "pick up assessments": _every(5.0, "assessor.tasks.pick_up_assessments"),
    "pick up jobs": _every(5.0, "memory.tasks.pick_up_jobs"),
    "enqueue webhooks": _every(5.0, "memory.tasks.enqueue_due_webhooks"),
    "stop abandoned replies": _every(30.0, "chat.tasks.stop_abandoned_replies"),
    "sweep": _every(300.0, "memory.tasks.sweep_all_spaces"),
    "mail owners": _every(3600.0, "assessor.tasks.mail_notices"),
    # At night, in UTC.
    "consolidate": {
        "task": "memory.tasks.consolidate_all_spaces",
        "schedule": crontab(hour="3", minute="10"),
        "options": {"expires": 3600.0},
    },
}
