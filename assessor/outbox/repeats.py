"""Repeats assessments at a moderator's request."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.audit import note
from accounts.models import AuditAction, Space
from assessor.models import Assessment, State
from assessor.outbox.services import queue_assessment, retry
from assessor.saving.exchanges import joined, span_of
from foundation.actors import Actor
from foundation.errors import Conflict, NotFound


@transaction.atomic
def reassess(*, space: Space, assessment_id: UUID, actor: Actor, now: datetime) -> None:
    """Assess an exchange again by the current policy, and log the actor.

    A failed exchange is requeued. One that ended without a memory is queued as a new row, so that
    the first assessment is kept. Raises NotFound, or Conflict if the exchange is unfinished, has a
    memory, or was assessed as a part of another.
    """
    rows = Assessment.objects.in_space(space).select_for_update()
    assessment = rows.filter(pk=assessment_id).first()
    if assessment is None:
        raise NotFound("Assessment not found.")
    if assessment.state == State.FAILED:
        retry(space=space, assessment_id=assessment_id, now=now)
    else:
        _queue_anew(assessment, space, now)
    subject = str(assessment_id)
    action = AuditAction.ASSESSED_AGAIN
    note(space=space, actor=actor, action=action, subject=subject, now=now)


def _queue_anew(assessment: Assessment, space: Space, now: datetime) -> None:
    if not assessment.is_finished:
        raise Conflict("The assessment is still running. Try again when it has ended.")
    if assessment.memory_id is not None:
        raise Conflict("This assessment has a memory. Edit the memory, or restore it from the bin.")
    if assessment.part_of_id is not None:
        raise Conflict("This exchange was assessed as part of another one.")
    exchange = replace(joined(span_of(assessment)), rubric="", provider="")
    queue_assessment(space=space, exchange=exchange, now=now)
