"""Finds an existing memory that says the same, for programs that save without comparing."""

from uuid import UUID

from memory.models import Memory
from memory.recall.similar import similar
from memory.reconciliation.rules import restates


def near_duplicate(memory: Memory) -> UUID | None:
    """Return the id of another live memory of the same user that says the same, whatever its
    type; None if there is none.
    """
    same = (one for one in similar(memory) if restates(memory.content, None, one))
    return next((one.memory.pk for one in same), None)
