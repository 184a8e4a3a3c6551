"""The requests that were not assessed, counted by reason for the Assessments page."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Sum
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from assessor.gate.prompts import GateReason
from assessor.models import GateCount
from assessor.statistics.inspection import PERIOD

LABELS = {
    GateReason.CLIENT_TASK: _("tasks named by the client"),
    GateReason.TEMPORARY_CHAT: _("temporary chats"),
    GateReason.TASK_PROMPT: _("task prompts"),
    GateReason.RETRY: _("requests to correct an answer"),
    GateReason.TOOL_OUTPUT: _("data and tool output"),
    GateReason.DOCUMENT: _("documents"),
    GateReason.TRANSCRIPT: _("transcripts"),
    GateReason.REPEATED_TEMPLATE: _("repeated templates"),
}


@dataclass(frozen=True)
class Gated:
    """The number of requests that were not assessed for one reason."""

    label: str
    count: int


def gated_lately(*, space: Space, now: datetime) -> list[Gated]:
    """Return the requests of the last PERIOD that taught nothing, by reason, most first."""
    rows = GateCount.objects.filter(space_id=space.pk, day__gt=(now - PERIOD).date())
    counted = rows.values_list("reason").annotate(total=Sum("count")).order_by("-total", "reason")
    return [Gated(str(LABELS[GateReason(reason)]), total) for reason, total in counted]
