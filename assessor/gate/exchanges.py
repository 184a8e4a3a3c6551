"""Applies the gate to exchanges on their way to the assessor, and counts refused requests."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from accounts.models import Space
from assessor.assessing import Exchange
from assessor.gate.handing import not_surely_own
from assessor.gate.prompts import GateReason, gate_reason
from assessor.models import GateCount
from memory.models import Reason


def gate_of(exchange: Exchange) -> GateReason | None:
    """Return why the user's message of an exchange teaches nothing, or None."""
    return gate_reason(exchange.user_message) if exchange.source_role == "user" else None


def handed_over_in(exchange: Exchange) -> str:
    """Return the part of the user's message that another person may have written, "" if none.

    Raises EmbeddingError.
    """
    return not_surely_own(exchange.user_message) if exchange.source_role == "user" else ""


def why_ignored(exchange: Exchange, *, learns: bool) -> Reason | None:
    """Return the reason why an exchange is not assessed, or None."""
    if not learns:
        return Reason("request_learning_off")
    gated = gate_of(exchange)
    return Reason(f"gate_{gated}") if gated else None


@transaction.atomic
def count_gated(*, space: Space, reason: GateReason, now: datetime) -> None:
    """Count a request that was answered and neither stored nor assessed."""
    key: dict[str, Any] = {"space": space, "day": now.date(), "reason": reason}
    row, is_first = GateCount.objects.get_or_create(**key)
    if not is_first:
        GateCount.objects.filter(pk=row.pk, space_id=space.pk).update(count=F("count") + 1)
