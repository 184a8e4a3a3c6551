"""Notes in the audit, each in the transaction of what it tells of."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory.actors import Actor
from memory.models import AuditAction, AuditEntry, Space


def note(
    *,
    space: Space,
    actor: Actor,
    action: AuditAction,
    subject: str,
    now: datetime,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Appends one entry; `subject` names what it was done to, `detail` is plain JSON."""
    AuditEntry.objects.create(
        space=space,
        at=now,
        actor_type=actor.type,
        actor_name=actor.name,
        action=action,
        subject=subject[:200],
        detail=dict(detail or {}),
    )
