"""Reports of wrong memories, by people who may read a space but not change it."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from foundation.errors import Conflict, NotFound
from foundation.readers import Reader
from memory.models import Memory, Status
from memory.models.history import Action
from memory.models.policies import current_policy
from memory.models.reasons import REPORTED, because
from memory.store.history import record
from memory.store.services import lock_memory


@transaction.atomic
def report_memory(
    *, space: Space, reader: Reader, memory_id: UUID, what: str, actor: Actor, now: datetime
) -> Memory:
    """Send a live memory to review as wrong. The reason names who said so, and what is wrong.

    Until an editor decides, the memory is not recalled. Raises NotFound for a memory that the
    reader does not see, Conflict for one that is not live.
    """
    memory = lock_memory(space, memory_id)
    if not reader.sees(memory.user_id):
        raise NotFound("Memory not found.")
    if memory.status != Status.LIVE:
        raise Conflict("The memory is not active any more.")
    reason = because(f"{REPORTED}: {actor.name}", what)
    memory.status, memory.review_reason, memory.review_proposal = Status.REVIEW, reason, None
    Memory.objects.in_space(space).filter(pk=memory.pk).update(
        status=memory.status, review_reason=reason, review_proposal=None
    )
    policy = current_policy(space)
    record(
        memories=[memory], action=Action.HELD, actor=actor, policy=policy, now=now, reason=reason
    )
    return memory
