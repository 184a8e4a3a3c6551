"""Withdraws edited or deleted exchanges from assessment.

For edited messages, waiting assessments are skipped and memories from them alone move to the bin.
For deleted conversations, only the waiting assessments are skipped. Both can be undone.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Space
from assessor.models import Assessment, State
from assessor.outbox.masking import forget_secrets
from assessor.outbox.queue import assess_on_commit
from assessor.saving.taught import lock_taught, made_in
from foundation.actors import Actor
from memory.models import BinReason, Memory, Reason
from memory.reconciliation.discarding import superseded_by, take_place_again
from memory.retention.recycle_bin import move_to_bin, restore_memories

_WAITING = [State.QUEUED, State.RUNNING, State.RETRYING]


@transaction.atomic
def retract(
    *,
    space: Space,
    assessment_ids: Collection[UUID],
    written_ids: Collection[UUID],
    actor: Actor,
    now: datetime,
) -> None:
    """Skip the exchanges' waiting assessments and move memories taught only by them to the bin.
    Restore what those had superseded. `written_ids`: memories a tool wrote in the exchanges.
    """
    actor = actor.in_action()
    # With these row locks, a worker finishes an exchange either before this point or not at all.
    rows = Assessment.objects.in_space(space).filter(pk__in=assessment_ids)
    held = list(rows.select_for_update().order_by("pk"))
    unfinished = [*_WAITING, State.FAILED]
    why = Reason("source_edited")
    _take_out(space, [one for one in held if one.state in unfinished], why, now)
    assessed = [one.pk for one in held if one.state == State.DONE]
    for memory in lock_taught(space, assessed, written_ids):
        older = [gone.pk for gone in superseded_by(memory)]
        move_to_bin(
            space=space,
            memory_id=memory.pk,
            why=BinReason.SUPERSEDED,
            actor=actor,
            now=now,
            reason=why,
        )
        restore_memories(space=space, memory_ids=older, actor=actor, now=now)


@transaction.atomic
def reinstate(
    *,
    space: Space,
    assessment_ids: Collection[UUID],
    written_ids: Collection[UUID],
    retracted_at: datetime,
    actor: Actor,
    now: datetime,
) -> None:
    """Undo the retraction at that moment: requeue the exchanges and restore the memories."""
    put_back(space=space, assessment_ids=assessment_ids, taken_at=retracted_at, now=now)
    made = made_in(space, assessment_ids, written_ids)
    taught = Memory.objects.in_space(space).binned().filter(made)
    gone = taught.filter(bin_reason=BinReason.SUPERSEDED, binned_at=retracted_at)
    back = list(gone.values_list("pk", flat=True))
    take_place_again(space=space, memory_ids=back, actor=actor, now=now)


@transaction.atomic
def withdraw(*, space: Space, assessment_ids: Collection[UUID], now: datetime) -> None:
    """Skip waiting first assessments of a deleted conversation.

    Finished assessments and their memories stay.
    """
    rows = Assessment.objects.in_space(space).filter(pk__in=assessment_ids, importance=None)
    waiting = rows.filter(state__in=_WAITING).select_for_update().order_by("pk")
    _take_out(space, list(waiting), Reason("conversation_deleted"), now)


@transaction.atomic
def put_back(
    *, space: Space, assessment_ids: Collection[UUID], taken_at: datetime, now: datetime
) -> list[UUID]:
    """Requeue the exchanges that were taken out of the outbox at that moment; return their ids."""
    rows = Assessment.objects.in_space(space).filter(pk__in=assessment_ids)
    taken = list(rows.filter(state=State.IGNORED, finished_at=taken_at))
    for waiting in taken:
        rows.filter(pk=waiting.pk).update(
            state=State.QUEUED, due_at=now, enqueued_at=now, finished_at=None, reasoning=""
        )
        assess_on_commit(waiting)
    return [one.pk for one in taken]


def _take_out(space: Space, unfinished: list[Assessment], reason: str, now: datetime) -> None:
    """End exchanges that were not assessed yet. Their spans are assessed without them.

    A worker that is assessing such a span loses its lease, and the span is assessed again.
    """
    rows = Assessment.objects.in_space(space)
    spans = [one.part_of_id for one in unfinished if one.part_of_id]
    rows.filter(pk__in=spans, state=State.RUNNING).update(
        state=State.QUEUED, leased_until=None, due_at=now
    )
    out = [one.pk for one in unfinished]
    for one in unfinished:  # claiming would mask them, but no worker will claim them
        forget_secrets(one)
    rows.filter(pk__in=out).update(
        state=State.IGNORED, leased_until=None, part_of=None, finished_at=now, reasoning=reason
    )
    # Unedited exchanges that waited in the same span continue alone.
    left = rows.filter(part_of__in=out)
    left.update(
        part_of=None, state=State.QUEUED, due_at=now, finished_at=None, error="", error_code=""
    )
