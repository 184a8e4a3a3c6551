"""The sample memories of a new installation: a person tries Ebb with them, then clears them."""

from datetime import datetime

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from memory.memories.bulk import delete_memories
from memory.models import Memory
from memory.models.memories import MemoryQuerySet

SAMPLE_IDS = tuple(f"ebb-sample-{number}" for number in range(1, 13))
"""The external ids of the sample memories, by which they are recognised."""


def samples_in(space: Space) -> MemoryQuerySet:
    """Return the sample memories of the space, in any state."""
    shared = Memory.objects.in_space(space).filter(user_id=None)
    found: MemoryQuerySet = shared.filter(external_id__in=SAMPLE_IDS)
    return found


@transaction.atomic
def clear_samples(*, space: Space, actor: Actor, now: datetime) -> int:
    """Move the live sample memories to the bin, as one action of the actor; return their number."""
    ids = list(samples_in(space).live().values_list("pk", flat=True))
    return delete_memories(space=space, memory_ids=ids, actor=actor, now=now)
