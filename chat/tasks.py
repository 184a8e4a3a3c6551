"""Celery tasks of the chat. Each may run twice."""

from celery import shared_task

from chat.replies.leases import stop_abandoned
from foundation.database.leases import database_now


@shared_task
def stop_abandoned_replies() -> None:
    """Stop the replies whose web process has died; scheduled by beat."""
    stop_abandoned(now=database_now())
