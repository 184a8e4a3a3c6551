"""The requests that were not assessed, counted by reason for the Assessments page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Sum
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from assessor.models import GateCount
from assessor.screening import GateReason
from assessor.statistics.inspection import PERIOD

LABELS = {
    GateReason.CLIENT_TASK: _("tasks named by the client"),
    GateReason.TEMPORARY_CHAT: _("temporary chats"),
    GateReason.TASK_PROMPT: _("task prompts"),
    GateReason.REPEATED_TEMPLATE: _("repeated templates"),
}


@dataclass(frozen=True)
class Gated:
    """The number of requests that were not assessed for one reason."""

    label: str
    count: int


@transaction.atomic
def count_gated(*, space: Space, reason: GateReason, now: datetime) -> None:
    """Count a request that was answered and neither stored nor assessed."""
    key: dict[str, Any] = {"space": space, "day": now.date(), "reason": reason}
    row, is_first = GateCount.objects.get_or_create(**key)
    if not is_first:
        GateCount.objects.filter(pk=row.pk, space_id=space.pk).update(count=F("count") + 1)


def gated_lately(*, space: Space, now: datetime) -> list[Gated]:
    """Return the requests of the last PERIOD that taught nothing, by reason, most first."""
    rows = GateCount.objects.filter(space_id=space.pk, day__gt=(now - PERIOD).date())
    counted = rows.values_list("reason").annotate(total=Sum("count")).order_by("-total", "reason")
    return [Gated(str(LABELS[GateReason(reason)]), total) for reason, total in counted]
