"""Entries of the audit logs, written in the transaction of the change."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from accounts.models import AuditAction, AuditEntry, InstallationAuditEntry, Space
from foundation.actors import Actor


def note(
    *,
    space: Space,
    actor: Actor,
    action: AuditAction,
    subject: str,
    now: datetime,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Append one entry to a space's log; `subject` names the changed object, `detail` is plain
    JSON."""
    AuditEntry.objects.create(space=space, **_columns(actor, action, subject, now, detail))


def note_installation(
    *,
    actor: Actor,
    action: AuditAction,
    subject: str,
    now: datetime,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Append one entry to the log of the installation."""
    InstallationAuditEntry.objects.create(**_columns(actor, action, subject, now, detail))


def _columns(
    actor: Actor,
    action: AuditAction,
    subject: str,
    now: datetime,
    detail: Mapping[str, Any] | None,
) -> dict[str, Any]:
    return {
        "at": now,
        "actor_type": actor.type,
        "actor_name": actor.name,
        "action": action,
        "subject": subject[:200],
        "detail": dict(detail or {}),
    }
