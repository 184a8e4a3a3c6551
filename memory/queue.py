"""The queue of tasks for workers.

A task is enqueued by its name, so that services need not import the tasks that call them.
"""

import logging
from functools import partial
from uuid import UUID

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def enqueue(task: str, space_id: int, row_id: UUID) -> None:
    """Enqueue a task for one row of a space. Logs, and never raises, when the broker is
    unreachable: the row stays due, and beat enqueues it again.
    """
    try:
        current_app.send_task(task, (space_id, str(row_id)), retry=False)
    except OperationalError as error:
        logger.warning("The queue is away; %s of %s waits: %s", task, row_id, error)


def enqueue_on_commit(task: str, space_id: int, row_id: UUID) -> None:
    """Call `enqueue` once the current transaction is committed."""
    transaction.on_commit(partial(enqueue, task, space_id, row_id))
