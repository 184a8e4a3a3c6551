"""The succession of facts: a statement that supersedes a memory ends the time in which it was
true."""

from collections.abc import Sequence

from django.db.models.expressions import RawSQL

from memory.models import Memory
from memory.readers import Reader
from memory.reconciliation.rules import Decision, Verdict

# From each memory to the one that superseded it, and to those that it superseded. A memory has
# `valid_to` only while it is superseded.
_CHAIN = """
    WITH RECURSIVE chain (id) AS (
        SELECT %s::uuid
        UNION
        SELECT CASE WHEN older.id = chain.id THEN older.superseded_by ELSE older.id END
        FROM chain
        JOIN memory_memory AS older ON older.id = chain.id OR older.superseded_by = chain.id
        WHERE older.space_id = %s AND older.status = 'binned' AND older.valid_to IS NOT NULL
    )
    SELECT id FROM chain
"""


def note_succession(decision: Decision, new: Memory) -> None:
    """Write the end of the memory that the decision superseded: the moment from which the new one
    is true. Call this in the transaction that wrote the new memory."""
    old = decision.memory
    if decision.verdict is not Verdict.SUPERSEDE or old is None:
        return
    ended = Memory.objects.filter(space_id=new.space_id, pk=old.pk)
    ended.update(valid_to=max(old.begins_at, new.begins_at), superseded_by=new.pk)


def succession(memory: Memory, reader: Reader) -> Sequence[Memory]:
    """Return this memory with all that were true before and after it, in their order; none if it
    neither superseded a memory nor was superseded."""
    chain = RawSQL(_CHAIN, [memory.pk, memory.space_id])  # noqa: S611 - our own text
    rows = Memory.objects.filter(space_id=memory.space_id, pk__in=chain).readable_by(reader)
    found = sorted(rows.defer("search"), key=lambda one: (one.begins_at, one.created_at, one.pk))
    return found if len(found) > 1 else []
