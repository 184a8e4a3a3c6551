"""Uses of memories: counted when a memory is sent to a model, undone if that was a mistake.

A use increments `use_count` and restarts the clocks of decay and lifetime. Undoing a use reverts
exactly that; clocks changed since then stay.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from pydantic import AwareDatetime, BaseModel, ConfigDict

from memory.actors import Actor
from memory.formulas import retention_sql
from memory.formulas.retention import expires_at
from memory.models import Memory, Space
from memory.models.history import Action
from memory.models.policies import current_policy
from memory.store.history import record
from memory.store.services import lock_memory


class Use(BaseModel):
    """One use of a memory: its time, and the memory's clocks before. Serialisable as JSON."""

    model_config = ConfigDict(frozen=True)

    at: AwareDatetime
    last_active_at: AwareDatetime | None
    clock_started_at: AwareDatetime
    renewed: bool
    """True if the use restarted the lifetime, according to the policy at that time."""

    @classmethod
    def of(cls, memory: Memory, now: datetime, *, renewed: bool) -> "Use":
        """Return a use of the memory in its state before the use."""
        return cls(
            at=now,
            last_active_at=memory.last_active_at,
            clock_started_at=memory.clock_started_at,
            renewed=renewed,
        )

    @property
    def before(self) -> dict[str, datetime | None]:
        """The memory's clocks before the use."""
        return {"last_active_at": self.last_active_at, "clock_started_at": self.clock_started_at}

    @property
    def after(self) -> dict[str, datetime | None]:
        """The memory's clocks after the use."""
        clock = self.at if self.renewed else self.clock_started_at
        return {"last_active_at": self.at, "clock_started_at": clock}


def mark_used(
    *, space: Space, memory_ids: Collection[UUID], actor: Actor, now: datetime, reason: str
) -> dict[UUID, Use]:
    """Count a use of each live memory that was sent to a model, and restart its lifetime.

    Return each use by its memory, so that it can be undone.
    """
    policy = current_policy(space)
    ttl = policy.document.ttl
    changes = {"use_count": F("use_count") + 1, "last_active_at": now}
    if ttl.renew_on_use:
        changes["clock_started_at"] = now
        changes["expires_at"] = retention_sql.expires_at(now, F("importance"), ttl.tiers)
    with transaction.atomic():
        wanted = Memory.objects.in_space(space).live().filter(pk__in=memory_ids)
        # Lock rows in the same order as all other code: otherwise two transactions could
        # deadlock.
        used = list(wanted.select_for_update().order_by("pk").defer("search"))
        uses = {memory.pk: Use.of(memory, now, renewed=ttl.renew_on_use) for memory in used}
        wanted.update(**changes)
        for memory in used:  # update the objects without another query
            memory.use_count, memory.last_active_at = memory.use_count + 1, now
        record(
            memories=used, action=Action.USED, actor=actor, policy=policy, now=now, reason=reason
        )
    return uses


def take_back_use(
    *, space: Space, memory_id: UUID, use: Use, actor: Actor, now: datetime, reason: str
) -> None:
    """Undo one use: the count, and the clocks that have not changed since.

    Raises NotFound.
    """
    with transaction.atomic():
        memory = lock_memory(space, memory_id)
        changes = {"use_count": max(0, memory.use_count - 1)}
        changes |= _clocks(memory, use.after, use.before)
        _change(memory, changes, Action.UNUSED, actor, now, reason)


def give_back_use(
    *, space: Space, memory_id: UUID, use: Use, actor: Actor, now: datetime, reason: str
) -> None:
    """Undo `take_back_use`; raises NotFound."""
    with transaction.atomic():
        memory = lock_memory(space, memory_id)
        changes = {"use_count": memory.use_count + 1} | _clocks(memory, use.before, use.after)
        _change(memory, changes, Action.USED, actor, now, reason)


def _clocks(
    memory: Memory, expected: dict[str, datetime | None], wanted: dict[str, datetime | None]
) -> dict[str, Any]:
    """Return the clocks to set: those that still have the expected value."""
    return {name: wanted[name] for name, then in expected.items() if getattr(memory, name) == then}


def _change(
    memory: Memory,
    changes: dict[str, Any],
    action: Action,
    actor: Actor,
    now: datetime,
    reason: str,
) -> None:
    policy = current_policy(memory.space)
    if clock := changes.get("clock_started_at"):
        changes["expires_at"] = expires_at(clock, memory.importance, policy.document.ttl.tiers)
    rows = Memory.objects.in_space(memory.space).filter(pk=memory.pk)
    rows.update(**changes)
    record(memories=rows.all(), action=action, actor=actor, policy=policy, now=now, reason=reason)
