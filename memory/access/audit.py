"""Entries of the audit log, written in the transaction of the change."""

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
    """Append one entry; `subject` names the changed object, `detail` is plain JSON."""
    AuditEntry.objects.create(
        space=space,
        at=now,
        actor_type=actor.type,
        actor_name=actor.name,
        action=action,
        subject=subject[:200],
        detail=dict(detail or {}),
    )
