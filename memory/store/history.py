"""History entries: one for each event, written together with the change itself."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from memory.actors import Actor
from memory.formulas.importance import age_days, current_importance, time_coef
from memory.models import Memory, MemoryEvent, Status
from memory.models.history import Action
from memory.models.policies import Policy
from memory.models.reasons import columns
from memory.policy import DecayPolicy
from memory.store.feedback import count_feedback
from memory.webhooks.outbox import write_messages

_NEW = {Action.CREATED, Action.APPROVED}


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
    _report(changed, events, action)


def _report(memories: Sequence[Memory], events: Sequence[MemoryEvent], action: Action) -> None:
    """Write the messages to webhooks about these events, one of each memory. A memory that waits
    for review is not reported as new."""
    ids = [
        event.pk
        for memory, event in zip(memories, events, strict=True)
        if action not in _NEW or memory.status == Status.LIVE
    ]
    if ids:
        write_messages(space_id=events[0].space_id, action=action, event_ids=ids)
