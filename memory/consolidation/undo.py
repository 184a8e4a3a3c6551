"""Undoes a run, a decision or one proposal: the sources return as they were, and the memories that
replaced them move to the bin.

Unlike a restore from the bin, this does not restart lifetimes. Memories that were changed since are
left unchanged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import Conflict, NotFound
from foundation.readers import Reader
from memory.memories.undo import undo as undo_own
from memory.models import (
    BinReason,
    ConsolidationProposal,
    Memory,
    MemoryEvent,
    ProposalState,
    Reason,
    Status,
)
from memory.models.consolidation import ProposalQuerySet
from memory.models.history import Action
from memory.models.policies import current_policy
from memory.reconciliation.services import one_at_a_time
from memory.references import check_change
from memory.retention.recycle_bin import move_to_bin
from memory.store.history import record


@dataclass(frozen=True)
class UndoneAction:
    """The numbers of memories restored, and of those left because they were changed since."""

    restored: int
    left: int


@transaction.atomic
def undo_action(
    *, space: Space, reader: Reader, action_id: UUID, actor: Actor, now: datetime
) -> UndoneAction:
    """Undo a consolidation, whoever applied it, or a change of the actor's own to many memories.

    Raises NotFound for an action that the reader does not see, Conflict if it was undone before,
    Forbidden for shared memories if the reader is a user.
    """
    rows = ConsolidationProposal.objects.in_space(space).filter(action_id=action_id)
    if not rows.exists():
        return _undo_own(space, reader, action_id, actor, now)
    one_at_a_time(space)
    proposals = _applied(rows.readable_by(reader))
    check_change(reader, *proposals)
    actor = actor.in_action()
    back = [_undo(space, one, actor, now) for one in reversed(proposals)]
    removed = sum(len(one.removed) for one in proposals)
    return UndoneAction(sum(back), removed - sum(back))


@transaction.atomic
def undo_proposal(
    *, space: Space, reader: Reader, proposal_id: UUID, actor: Actor, now: datetime
) -> int:
    """Undo one proposal of an action; return the number of memories restored.

    Raises NotFound for a proposal that the reader does not see or that was never applied, Conflict
    if it was undone before or its memories were changed since, Forbidden for shared memories if the
    reader is a user.
    """
    one_at_a_time(space)
    rows = ConsolidationProposal.objects.in_space(space).readable_by(reader)
    [proposal] = _applied(rows.filter(pk=proposal_id, action_id__isnull=False))
    check_change(reader, proposal)
    restored = _undo(space, proposal, actor.in_action(), now)
    if not restored:
        raise Conflict("The memories have changed since then. Nothing was undone.")
    return restored


def _applied(rows: ProposalQuerySet) -> list[ConsolidationProposal]:
    """Return an action's proposals that are not undone yet, locked, in the order of applying."""
    found = list(rows.applied().select_for_update().order_by("pk"))
    if not found and rows.exists():
        raise Conflict("This action has already been undone.")
    if not found:
        raise NotFound("Action not found.")
    return sorted(found, key=lambda one: not one.keeps_last)


def _undo_own(
    space: Space, reader: Reader, action_id: UUID, actor: Actor, now: datetime
) -> UndoneAction:
    events = MemoryEvent.objects.in_space(space).of_action(action_id, actor)
    if not events.exists() or not all(reader.sees(one.user_id) for one in events):
        raise NotFound("Action not found.")
    check_change(reader, *events)
    undone = undo_own(space=space, action_id=action_id, actor=actor, now=now)
    return UndoneAction(undone.back, undone.left)


def _undo(space: Space, proposal: ConsolidationProposal, actor: Actor, now: datetime) -> int:
    """Undo one proposal; return the number of sources restored, 0 if its result was changed.

    If none of the sources is left, their result stays, because it is all that remains of them.
    """
    sources = _still_binned(space, proposal)
    if not sources and not _is_restored(space, proposal):
        return 0
    if not _result_leaves(space, proposal, actor, now):
        return 0
    Memory.objects.in_space(space).filter(pk__in=[one.pk for one in sources]).update(
        status=Status.LIVE, binned_at=None, bin_reason="", importance_then=None, rank_then=None
    )
    record(
        memories=sources,
        action=Action.RESTORED,
        actor=actor,
        policy=current_policy(space),
        now=now,
        reason=BinReason.CONSOLIDATED.value,  # the reason of the removal (HistoryQuerySet.removals)
    )
    rows = ConsolidationProposal.objects.in_space(space).filter(pk=proposal.pk)
    rows.update(state=ProposalState.UNDONE)
    return len(sources)


def _result_leaves(
    space: Space, proposal: ConsolidationProposal, actor: Actor, now: datetime
) -> bool:
    """Move what replaced the sources to the bin, unless it is one of them; return False if it was
    changed since."""
    if proposal.result_id is None or proposal.keeps_last:
        return True
    unchanged = Memory.objects.in_space(space).live().filter(revision=1, pinned=False)
    made = unchanged.filter(pk=proposal.result_id).select_for_update(no_key=True).first()
    if made is None:
        return False
    move_to_bin(
        space=space,
        memory_id=made.pk,
        why=BinReason.DELETED,
        actor=actor,
        now=now,
        reason=Reason("undone"),
    )
    return True


def _still_binned(space: Space, proposal: ConsolidationProposal) -> Sequence[Memory]:
    """Return the sources that are in the bin since the proposal was applied, locked."""
    rows = Memory.objects.in_space(space).binned().filter(pk__in=proposal.removed)
    since = rows.filter(bin_reason=BinReason.CONSOLIDATED, binned_at=proposal.decided_at)
    return list(since.defer("search").select_for_update(no_key=True).order_by("pk"))


def _is_restored(space: Space, proposal: ConsolidationProposal) -> bool:
    """Return whether a source is active: a person has restored it."""
    return Memory.objects.in_space(space).live().filter(pk__in=proposal.removed).exists()
