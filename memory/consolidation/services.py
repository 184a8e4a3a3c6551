"""Applying, rejecting and undoing proposals.

Applying moves the sources to the bin and saves what replaces them. All proposals of one call are
one action, which can be undone. A proposal whose sources have changed is left out, because it no
longer shows what would happen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db import transaction

from accounts.models import Space
from foundation.actors import SYSTEM, Actor
from memory.consolidation.drafts import draft_of, keep_uses
from memory.consolidation.grouping import is_free
from memory.models import BinReason, ConsolidationProposal, Memory, ProposalState, Reason
from memory.reconciliation.services import one_at_a_time
from memory.retention.recycle_bin import move_to_bin
from memory.store.services import Prepared, prepare_memories, store_memories

Found = TypeVar("Found")


@dataclass(frozen=True)
class Applied:
    """The action, the number of proposals applied, and of those left out because their sources have
    changed. `action_id` is None if nothing was applied."""

    action_id: UUID | None
    applied: int
    outdated: int


def apply_proposals(
    *, space: Space, proposals: Sequence[ConsolidationProposal], actor: Actor, now: datetime
) -> Applied:
    """Apply these open proposals in one transaction and one action. Raises EmbeddingError."""
    actor = actor.in_action()
    prepared = _prepared(space, proposals, now)
    ready = [one for one in proposals if one.result is None or one.pk in prepared]
    # Memories that stay are needed before another proposal may merge them.
    ready.sort(key=lambda one: not one.keeps_last)
    with transaction.atomic():
        one_at_a_time(space)
        _discard(space, [one for one in proposals if one not in ready])
        done = sum(_apply(space, one.pk, prepared, actor, now) for one in ready)
    return Applied(actor.action_id if done else None, done, len(proposals) - done)


def as_if_applied(
    *, space: Space, proposal: ConsolidationProposal, now: datetime, read: Callable[[], Found]
) -> Found | None:
    """Return what `read` finds after this open proposal is applied, and roll back; None if the
    proposal is outdated. Raises EmbeddingError.

    So a preview shows exactly what applying does. It locks the space for as long as applying would.
    """
    prepared = _prepared(space, [proposal], now)
    if proposal.result is not None and proposal.pk not in prepared:
        return None
    with transaction.atomic():
        one_at_a_time(space)
        applied = _apply(space, proposal.pk, prepared, SYSTEM.in_action(), now)
        found = read() if applied else None
        transaction.set_rollback(True)
    return found


@transaction.atomic
def reject_proposals(
    *, space: Space, proposals: Sequence[ConsolidationProposal], now: datetime
) -> int:
    """Reject these open proposals; return their number. They are not proposed again."""
    ids = [one.pk for one in proposals]
    rows = ConsolidationProposal.objects.in_space(space).open().filter(pk__in=ids)
    return rows.update(state=ProposalState.REJECTED, decided_at=now)


def _prepared(
    space: Space, proposals: Sequence[ConsolidationProposal], now: datetime
) -> dict[UUID, Prepared]:
    """Return the new memory of each proposal that has one, embedded; no transaction is open."""
    wanted = {pk for one in proposals for pk in one.sources}
    rows = Memory.objects.in_space(space).live().filter(pk__in=wanted).defer("search")
    live = {one.pk: one for one in rows}
    return {
        one.pk: prepare_memories(
            space=space, drafts=[draft_of(one.result, [live[pk] for pk in one.sources])], now=now
        )
        for one in proposals
        if one.result is not None and all(pk in live for pk in one.sources)
    }


def _discard(space: Space, outdated: Sequence[ConsolidationProposal]) -> None:
    """Delete open proposals whose sources are no longer live."""
    ids = [one.pk for one in outdated]
    ConsolidationProposal.objects.in_space(space).open().filter(pk__in=ids).delete()


def _apply(
    space: Space, proposal_id: UUID, prepared: Mapping[UUID, Prepared], actor: Actor, now: datetime
) -> bool:
    """Apply one proposal. Return false if it was decided meanwhile, or if it is outdated, which
    deletes it."""
    rows = ConsolidationProposal.objects.in_space(space).open().filter(pk=proposal_id)
    proposal = rows.select_for_update().first()
    sources = _unchanged(space, proposal) if proposal else None
    if proposal is None or sources is None:
        rows.delete()
        return False
    if proposal.result is None:
        became, reason = sources[-1], Reason("replaced", sources[-1].content)
    else:
        became = _create(space, prepared[proposal_id], sources, actor, now)
        reason = Reason("consolidated", became.content)
    binned: dict[str, Any] = {"why": BinReason.CONSOLIDATED, "reason": reason}
    for memory_id in proposal.removed:
        move_to_bin(space=space, memory_id=memory_id, actor=actor, now=now, **binned)
    rows.update(
        state=ProposalState.APPLIED, decided_at=now, action_id=actor.action_id, result_id=became.pk
    )
    return True


def _create(
    space: Space, prepared: Prepared, sources: Sequence[Memory], actor: Actor, now: datetime
) -> Memory:
    """Save the memory that replaces the sources."""
    [memory] = store_memories(prepared=prepared, actor=actor, now=now)
    return keep_uses(space=space, memory=memory, sources=sources, policy=prepared.policy)


def _unchanged(space: Space, proposal: ConsolidationProposal) -> list[Memory] | None:
    """Return the sources in their order, locked; None if one has changed, has left the live
    memories, or was pinned."""
    rows = Memory.objects.in_space(space).live().filter(pk__in=proposal.sources).defer("search")
    found = {one.pk: one for one in rows.select_for_update(no_key=True).order_by("pk")}
    revisions = dict(zip(proposal.sources, proposal.revisions, strict=True))
    if any(pk not in found or found[pk].revision != old for pk, old in revisions.items()):
        return None
    if not all(is_free(one) for one in found.values()):
        return None
    return [found[pk] for pk in proposal.sources]
