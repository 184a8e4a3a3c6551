"""Uses of memories: counted when a memory is sent to a model, undone if that was a mistake.

A use increments `use_count` and restarts the clock of decay. The lifetime restarts only if the
answer used the memory, or at any use if the policy says so. Whether the answer used it is also
counted as feedback. Undoing a use reverts exactly that; clocks changed since then stay.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict
from uuid import UUID

from django.db import transaction
from django.db.models import Case, DateTimeField, Expression, F, Value, When
from pydantic import AwareDatetime, BaseModel, ConfigDict

from accounts.models import Space
from foundation.actors import Actor
from memory.models import Memory
from memory.models.history import Action
from memory.models.memories import expiry_from
from memory.models.policies import Policy, current_policy
from memory.policy import TtlPolicy
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
    counted: Literal["times_used", "times_unused"] | None = None
    """The count of feedback that the use raised."""

    @classmethod
    def of(cls, memory: Memory, now: datetime, renewed: bool, used: bool | None) -> "Use":
        """Return a use of the memory in its state before the use. `used` says whether the answer
        used it; None if that is not known."""
        return cls(
            at=now,
            last_active_at=memory.last_active_at,
            clock_started_at=memory.clock_started_at,
            renewed=renewed,
            counted=None if used is None else "times_used" if used else "times_unused",
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


class _About(TypedDict):
    actor: Actor
    policy: Policy
    now: datetime
    reason: str


def mark_used(
    *,
    space: Space,
    memory_ids: Collection[UUID],
    supporting: Collection[UUID] = (),
    answered: Mapping[UUID, bool] | None = None,
    actor: Actor,
    now: datetime,
    reason: str,
) -> dict[UUID, Use]:
    """Count a use of each live memory that was sent to a model; restart the lifetime of those in
    `supporting`. `answered` says of a memory whether the answer used it, where that is known.
    Return each use by its memory, so that it can be undone."""
    policy, answered = current_policy(space), answered or {}
    renewed = _renewed(policy.document.ttl, memory_ids, supporting)
    about: _About = {"actor": actor, "policy": policy, "now": now, "reason": reason}
    with transaction.atomic(savepoint=False):
        wanted = Memory.objects.in_space(space).live().filter(pk__in=memory_ids)
        # Lock rows in the same order as all other code, to avoid deadlocks.
        used = list(wanted.select_for_update().order_by("pk").defer("search"))
        uses = {one.pk: Use.of(one, now, one.pk in renewed, answered.get(one.pk)) for one in used}
        wanted.update(
            use_count=F("use_count") + 1,
            last_active_at=now,
            **_counted(uses),
            **_restarted(renewed, policy.document.ttl, now),
        )
        _record_uses(used, renewed, about)
    return uses


def _record_uses(used: Sequence[Memory], renewed: Collection[UUID], about: _About) -> None:
    for memory in used:  # update the objects without another query
        memory.use_count, memory.last_active_at = memory.use_count + 1, about["now"]
    record(memories=used, action=Action.USED, **about)
    supported = [memory for memory in used if memory.pk in renewed]
    record(memories=supported, action=Action.RENEWED, **about)


def _counted(uses: Mapping[UUID, Use]) -> dict[str, Expression]:
    """Return the columns of feedback to set: each use raises the count that it names."""
    return {
        name: F(name) + _in(ids, then=Value(1), otherwise=Value(0))
        for name in ("times_used", "times_unused")
        if (ids := [id_ for id_, use in uses.items() if use.counted == name])
    }


def _restarted(ids: Collection[UUID], ttl: TtlPolicy, now: datetime) -> dict[str, Expression]:
    """Return the columns to set that restart the lifetimes of these memories, and no others."""
    if not ids:
        return {}
    start = Value(now, output_field=DateTimeField())
    return {
        "clock_started_at": _in(ids, then=start, otherwise=F("clock_started_at")),
        "expires_at": _in(ids, then=expiry_from(now, ttl.tiers), otherwise=F("expires_at")),
    }


def _in(ids: Collection[UUID], *, then: Expression, otherwise: Expression | F) -> Case:
    return Case(When(pk__in=ids, then=then), default=otherwise)


def _renewed(
    ttl: TtlPolicy, memory_ids: Collection[UUID], supporting: Collection[UUID]
) -> set[UUID]:
    """Return the memories whose lifetime restarts, by the policy."""
    if not ttl.renew_on_use:
        return set()
    return set(memory_ids if ttl.renew_when == "sent" else supporting)


def undo_use(
    *, space: Space, memory_id: UUID, use: Use, actor: Actor, now: datetime, reason: str
) -> None:
    """Undo one use: the count, and the clocks that have not changed since.

    Raises NotFound.
    """
    with transaction.atomic():
        memory = lock_memory(space, memory_id)
        changes = {"use_count": max(0, memory.use_count - 1)}
        changes |= _counts(memory, use, -1) | _clocks(memory, use.after, use.before)
        _change(memory, changes, Action.UNUSED, actor, now, reason)


def redo_use(
    *, space: Space, memory_id: UUID, use: Use, actor: Actor, now: datetime, reason: str
) -> None:
    """Undo `undo_use`; raises NotFound."""
    with transaction.atomic():
        memory = lock_memory(space, memory_id)
        changes = {"use_count": memory.use_count + 1} | _counts(memory, use, 1)
        changes |= _clocks(memory, use.before, use.after)
        _change(memory, changes, Action.USED, actor, now, reason)


def _counts(memory: Memory, use: Use, n: int) -> dict[str, int]:
    """Return the count of feedback to set, if the use raised one."""
    if use.counted is None:
        return {}
    return {use.counted: max(0, getattr(memory, use.counted) + n)}


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
        changes["expires_at"] = memory.expiry_from(clock, policy.document.ttl.tiers)
    rows = Memory.objects.in_space(memory.space).filter(pk=memory.pk)
    rows.update(**changes)
    record(memories=rows.all(), action=action, actor=actor, policy=policy, now=now, reason=reason)
