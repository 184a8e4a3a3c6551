"""Restarts a memory's lifetime by hand."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import NotFound
from memory.models import Memory
from memory.models.history import Action
from memory.models.policies import current_policy
from memory.store.history import record


@transaction.atomic
def extend_memory(*, space: Space, memory_id: UUID, actor: Actor, now: datetime) -> Memory:
    """Restart a live memory's lifetime without counting a use.

    Raises NotFound.
    """
    policy = current_policy(space)
    rows = Memory.objects.in_space(space).live().filter(pk=memory_id)
    memory = rows.select_for_update().first()
    if memory is None:
        raise NotFound("Memory not found.")
    memory.clock_started_at = now
    memory.expires_at = memory.expiry_from(now, policy.document.ttl.tiers)
    rows.update(clock_started_at=now, expires_at=memory.expires_at)
    record(memories=[memory], action=Action.EXTENDED, actor=actor, policy=policy, now=now)
    return memory
