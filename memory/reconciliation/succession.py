"""The succession of facts: a statement that supersedes a memory ends the memory's time of truth,
and is kept at least as long as the memory would have been.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db.models.expressions import RawSQL

from foundation.actors import Actor
from foundation.readers import Reader
from memory.drafts import Facets, Replacement
from memory.formulas.retention import Tiers, ttl_seconds
from memory.models import Memory, Reason
from memory.models.policies import Policy
from memory.reconciliation.rules import Decision, Verdict
from memory.store.services import revise_memory
from memory.store.times import starts_at

# Links each memory to the memory that superseded it and to those that it superseded. A memory has
# `valid_to` only while it is superseded, or will be.
_CHAIN = """
    WITH RECURSIVE chain (id) AS (
        SELECT %s::uuid
        UNION
        SELECT CASE WHEN older.id = chain.id THEN older.superseded_by ELSE older.id END
        FROM chain
        JOIN memory_memory AS older ON older.id = chain.id OR older.superseded_by = chain.id
        WHERE older.space_id = %s AND older.valid_to IS NOT NULL
    )
    SELECT id FROM chain
"""


def note_succession(
    decision: Decision, new: Memory, *, actor: Actor, policy: Policy, now: datetime
) -> Memory:
    """Write the end of the memory that the decision superseded: the moment from which the new one
    is true. Return the new one with what it inherits. Call this in the transaction that wrote the
    new memory."""
    superseded = decision.memory if decision.verdict is Verdict.SUPERSEDE else None
    if (old := superseded or decision.heir_of) is None:
        return new
    if superseded:
        _note_end(old, new, now)
    importance, facets = new.importance, facets_in(new)
    heir = inherited(importance, facets, old, policy.document.ttl.tiers)
    if heir != (importance, facets):
        new = revise_memory(
            space=new.space,
            memory_id=new.pk,
            change=Replacement(importance=heir[0], facets=heir[1]),
            actor=actor,
            now=now,
            reason=Reason("inherited", old.content),
        )
    _outlive(old, new)
    return new


def _note_end(old: Memory, new: Memory, now: datetime) -> None:
    """Write when the old memory ends: in the future, if the new one is true only then."""
    rows, begins = Memory.objects.filter(space_id=new.space_id), new.begins_at
    if (starts := starts_at(new.content, new.said_at)) > now:
        new.valid_from = begins = starts
        rows.filter(pk=new.pk).update(valid_from=begins)
    rows.filter(pk=old.pk).update(valid_to=max(old.begins_at, begins), superseded_by=new.pk)


def _outlive(old: Memory, new: Memory) -> None:
    """Keep the new memory until the old one would expire, which may be pinned, or tell of an event
    that is far away."""
    until = None if old.pinned else old.expires_at
    if new.expires_at is not None and (until is None or until > new.expires_at):
        new.expires_at = until
        Memory.objects.filter(space_id=new.space_id, pk=new.pk).update(expires_at=until)


def inherited(
    importance: float, facets: Facets | None, old: Memory, tiers: Tiers
) -> tuple[float, Facets | None]:
    """Return the importance and facets of a memory that supersedes the old one: the greater
    importance, and the facets of the one with the longer lifetime. Otherwise "Rufus died" would
    expire in days, and Ebb would know nothing of Rufus."""
    known = facets_in(old)
    ours = ttl_seconds(importance, tiers, facets.P if facets else None)
    theirs = ttl_seconds(old.importance, tiers, known.P if known else None)
    longer = ours is not None and (theirs is None or theirs > ours)
    return max(importance, old.importance), known if longer else facets


def facets_of_patched(old: Memory, newest: Facets, tiers: Tiers) -> Facets:
    """Return the facets of a patched memory: the newest, because the user's latest words count, or
    the old ones if they give a longer lifetime. A core memory keeps P = 1 (seed 003, section
    1.5)."""
    if old.core:
        return newest.model_copy(update={"P": 1.0})
    return inherited(newest.importance, newest, old, tiers)[1] or newest


def facets_in(memory: Memory) -> Facets | None:
    """Return the memory's facets; None if it has none."""
    return Facets.model_validate(memory.facets) if memory.facets else None


def succession(memory: Memory, reader: Reader) -> Sequence[Memory]:
    """Return this memory with its predecessors and successors, in order; an empty result if it has
    neither.
    """
    chain = RawSQL(_CHAIN, [memory.pk, memory.space_id])  # noqa: S611 - our own text
    rows = Memory.objects.filter(space_id=memory.space_id, pk__in=chain).readable_by(reader)
    found = sorted(rows.defer("search"), key=lambda one: (one.begins_at, one.created_at, one.pk))
    return found if len(found) > 1 else []
