"""Ends memories whose successor is true from now on: "I start at Figma on Monday"."""

from datetime import datetime

from django.db import transaction

from accounts.models import Space
from foundation.actors import SYSTEM
from memory.models import BinReason, Memory, Reason
from memory.retention.recycle_bin import move_to_bin


def end_superseded(*, now: datetime) -> None:
    """Move memories to the bin from whose `valid_to` on their successor is true, in every open
    space. One whose successor is gone stays true."""
    for space in Space.objects.open().order_by("pk"):
        live = Memory.objects.in_space(space).live()
        for old in live.filter(valid_to__lte=now).order_by("pk"):
            _end(space, old, now)


@transaction.atomic
def _end(space: Space, old: Memory, now: datetime) -> None:
    live = Memory.objects.in_space(space).live()
    successor = live.filter(pk=old.superseded_by).first() if old.superseded_by else None
    if successor is None:
        live.filter(pk=old.pk).update(valid_to=None)
        return
    reason = Reason("replaced", successor.content)
    why = BinReason.SUPERSEDED
    move_to_bin(space=space, memory_id=old.pk, why=why, actor=SYSTEM, now=now, reason=reason)
