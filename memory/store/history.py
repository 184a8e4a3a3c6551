"""History entries: one for each event, written together with the change itself."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from accounts.models import WebhookEvent
from foundation.actors import Actor
from memory.formulas.importance import age_days, current_importance, time_coef
from memory.models import BinReason, Memory, MemoryEvent, Reason, Status
from memory.models.history import Action
from memory.models.policies import Policy
from memory.models.reasons import columns
from memory.policy import DecayPolicy
from memory.store.feedback import count_feedback
from memory.webhooks.outbox import write_messages

_EVENTS = {
    Action.REVISED: WebhookEvent.REVISED,
    Action.RESTORED: WebhookEvent.RESTORED,
    Action.HELD: WebhookEvent.HELD,
}
_REPLACED = {BinReason.SUPERSEDED, BinReason.CONSOLIDATED}


def importance_now(memory: Memory, decay: DecayPolicy, now: datetime) -> float:
    """Return the current importance in [0, 1] of a memory already loaded."""
    coefficient = time_coef(
        age_days(memory.last_active_at or memory.created_at, now),
        memory.use_count,
        core=memory.core or memory.pinned,
        floor=decay.floor,
        scale_days=decay.scale_days,
    )
    return current_importance(memory.importance, coefficient)


def record(
    *,
    memories: Iterable[Memory],
    action: Action,
    actor: Actor,
    policy: Policy,
    now: datetime,
    reason: str = "",
) -> None:
    """Append one event per memory, all of one action (the actor's, or a new one), count what they
    say about the memories, and write the messages to webhooks."""
    changed = list(memories)
    shared: dict[str, Any] = {**columns(reason)}
    shared |= {"at": now, "action": action, "action_id": actor.in_action().action_id}
    shared |= {"actor_type": actor.type, "actor_name": actor.name, "policy_version": policy.version}
    events = [
        MemoryEvent(
            space_id=memory.space_id,
            memory_id=memory.pk,
            user_id=memory.user_id,
            content=memory.content,
            importance=memory.importance,
            current_importance=importance_now(memory, policy.document.decay, now),
            **shared,
        )
        for memory in changed
    ]
    MemoryEvent.objects.bulk_create(events, batch_size=1000)
    count_feedback(changed, action=action, actor=actor, reason=reason)
    _report(changed, events, reason)


def _report(memories: Sequence[Memory], events: Sequence[MemoryEvent], reason: str) -> None:
    """Write the messages to webhooks about these events, one of each memory."""
    ids: dict[WebhookEvent, list[int]] = defaultdict(list)
    for memory, event in zip(memories, events, strict=True):
        if reported := _reported(memory, event.action, reason):
            ids[reported].append(event.pk)
    for reported, event_ids in ids.items():
        write_messages(space_id=events[0].space_id, event=reported, event_ids=event_ids)


def _reported(memory: Memory, action: str, reason: str) -> WebhookEvent | None:
    """Return the event of webhooks that reports this action, or None.

    A memory that waits for review is reported as created when it is approved.
    """
    if action in {Action.CREATED, Action.APPROVED}:
        return WebhookEvent.CREATED if memory.status == Status.LIVE else None
    if isinstance(reason, Reason) and reason.code == "proposed_again":
        return None  # It was rejected before, and stays in the bin.
    if action in {Action.DELETED, Action.REJECTED}:
        is_replaced = memory.bin_reason in _REPLACED
        return WebhookEvent.SUPERSEDED if is_replaced else WebhookEvent.DELETED
    return _EVENTS.get(Action(action))
