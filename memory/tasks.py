"""Celery's side of the memory core. Each may run twice."""

from celery import shared_task
from django.utils import timezone

from memory.services.retention import sweep_all


@shared_task
def sweep_all_spaces() -> None:
    """Beat's sweep: expiry, capacity and the recycle bin, in every space."""
    sweep_all(now=timezone.now())
