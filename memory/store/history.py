"""History entries: one for each event, written together with the change itself."""

from collections.abc import Iterable
from datetime import datetime

from memory.actors import Actor
from memory.formulas.importance import age_days, current_importance, time_coef
from memory.models import Memory, MemoryEvent
from memory.models.history import Action
from memory.models.policies import Policy
from memory.models.reasons import columns
from memory.policy import DecayPolicy


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
    """Append one event per memory, all of one action: the actor's, or a new one."""
    shared = {
        "at": now,
        "action": action,
        "action_id": actor.in_action().action_id,
        "actor_type": actor.type,
        "actor_name": actor.name,
        "policy_version": policy.version,
    } | columns(reason)
    events = [
        MemoryEvent(
            space_id=memory.space_id,
            memory_id=memory.pk,
            content=memory.content,
            importance=memory.importance,
            current_importance=importance_now(memory, policy.document.decay, now),
            **shared,
        )
        for memory in memories
    ]
    MemoryEvent.objects.bulk_create(events, batch_size=1000)
