"""Saving a statement that a model wrote, by a function tool or an XML tag.

It is prepared outside a transaction, because an embedder, or a model asked for advice, may be slow.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.models import Space
from foundation.actors import Actor
from memory.drafts import MAX_TAGS, MemoryChange, MemoryDraft
from memory.formulas.importance import TYPE_IMPORTANCE
from memory.models import Memory, Status
from memory.reconciliation.rules import Decision, Verdict
from memory.reconciliation.services import Outcome
from memory.review.services import hold_memory, remember_or_hold
from memory.store.services import Prepared, prepare_memories, revise_memory
from memory.tools import write_guard


@dataclass(frozen=True)
class Given:
    """Values that a caller gave with a statement: a type, an importance, tags. `reason` names the
    caller's tool in the history."""

    reason: str
    memory_type: str | None = None
    importance: float | None = None
    tags: tuple[str, ...] = ()

    @property
    def names_values(self) -> bool:
        """True if the caller gave a type or an importance."""
        return self.memory_type is not None or self.importance is not None

    @property
    def is_empty(self) -> bool:
        """True if the caller gave only the statement."""
        return not (self.names_values or self.tags)

    def change(self, memory: Memory, verdict: Verdict) -> MemoryChange:
        """Return the change of a known memory to what was given. A new type brings its default
        importance (seed 002, AC-1), except to a memory with facets, and to one that contains
        other statements, too; tags are added."""
        importance = self.importance
        keeps = memory.facets is not None or verdict is Verdict.REVISE
        if importance is None and not keeps and self.memory_type not in (None, memory.memory_type):
            importance = TYPE_IMPORTANCE[str(self.memory_type)]
        tags = list(dict.fromkeys([*memory.tags, *self.tags]))[:MAX_TAGS]
        return MemoryChange.model_validate(
            {"memory_type": self.memory_type, "importance": importance, "tags": tags}
        )


@dataclass(frozen=True)
class Ready:
    """A prepared statement, the reason to send it to review, and a model's advice on it."""

    prepared: Prepared
    given: Given
    held: str | None
    proposed: Decision | None


def ready(
    *,
    space: Space,
    draft: MemoryDraft,
    given: Given,
    held: str | None,
    now: datetime,
    asks_model: bool = True,
) -> Ready:
    """Return the statement with its vector and, if a model is connected and `asks_model`, with its
    advice. Without a given type it is compared with memories of any type."""
    any_type = given.memory_type is None
    prepared = prepare_memories(space=space, drafts=[draft], now=now, any_type=any_type)
    proposed = write_guard.advised(prepared) if asks_model and held is None else None
    return Ready(prepared, given, held, proposed)


@transaction.atomic
def save(statement: Ready, *, actor: Actor, now: datetime) -> Outcome:
    """Reconcile the statement with the known memories and save the result; send it to review if
    there is a reason.

    What was given with a known statement is applied to the known memory (seed 002).
    """
    actor, prepared = actor.in_action(), statement.prepared
    if statement.held is not None:
        held = hold_memory(prepared=prepared, reason=statement.held, actor=actor, now=now)
        return Outcome(held, Verdict.ADD)
    outcome = remember_or_hold(prepared=prepared, actor=actor, now=now, proposed=statement.proposed)
    is_new = outcome.verdict in {Verdict.ADD, Verdict.SUPERSEDE}
    if is_new or statement.given.is_empty or outcome.memory.status != Status.LIVE:
        return outcome
    memory = revise_memory(
        space=prepared.space,
        memory_id=outcome.memory.pk,
        change=statement.given.change(outcome.memory, outcome.verdict),
        actor=actor,
        now=now,
        reason=statement.given.reason,
    )
    return Outcome(memory, outcome.verdict)
