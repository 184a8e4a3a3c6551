"""The queue of tasks for workers.

A task is enqueued by its name, so that services need not import the tasks that call them.
"""

import logging
from functools import partial
from uuid import UUID

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from foundation.log_ids import request_id

logger = logging.getLogger(__name__)

REQUEST_ID = "ebb_request_id"
"""The header of a task with the id of the request that caused it; beat's tasks have none."""


def enqueue(task: str, space_id: int, row_id: UUID | str) -> None:
    """Enqueue a task for one row, or one name, of a space. Logs, and never raises, when the broker
    is unreachable: the row stays due, and beat enqueues it again.
    """
    try:
        headers = {REQUEST_ID: request_id.get()}
        current_app.send_task(task, (space_id, str(row_id)), retry=False, headers=headers)
    except OperationalError as error:
        logger.warning("The queue does not answer; %s of %s waits: %s", task, row_id, error)


def enqueue_on_commit(task: str, space_id: int, row_id: UUID) -> None:
    """Call `enqueue` once the current transaction is committed."""
    transaction.on_commit(partial(enqueue, task, space_id, row_id))
