"""Pages: lifetimes by expiry, and the eviction queue."""

from dataclasses import asdict
from datetime import datetime
from math import ceil
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from foundation.http.pagination import clock_of, keyset
from memory.models import Memory
from memory.models.policies import current_policy
from memory.policy import PolicyDocument
from memory.retention import forecast as reads
from memory.retention.extend import extend_memory
from memory.retention.sweep import sweep as run_sweep

PAGE_SIZE = 30
TIMES = {
    "today": _("today"),
    "tomorrow": _("tomorrow"),
    "week": _("within a week"),
    "month": _("within a month"),
    "later": _("later"),
    "never": _("never"),
}
TIERS = {
    "very_low": _("very low"),
    "low": _("low"),
    "medium": _("medium"),
    "permanent": _("kept forever"),
}


@require_GET
@space_page("read")
def lifetimes(request: PageRequest, access: Access) -> HttpResponse:
    """Show counts by expiry, the memories expiring next, and recently renewed ones."""
    cursor = request.GET.get("cursor") or None
    now = clock_of(cursor, default=timezone.now())
    document = current_policy(access.space).document
    context = _leaving(request, access, document, now)
    if request.htmx:
        return render(request, "memory/retention/_expiring.html", context)
    counts = reads.timeline(access.space, access.reader, document, now)
    context |= {
        "rows": _drawn(counts),
        "tiers": _tiers(document),
        "renewals": reads.renewals(access.space, access.reader),
        "total": sum(sum(by_tier.values()) for by_tier in counts.values()),
    }
    return render(request, "memory/retention/lifetimes.html", context)


@require_GET
@space_page("read")
def capacity(request: PageRequest, access: Access) -> HttpResponse:
    """Show the eviction queue, and the numbers of protected memories."""
    now = timezone.now()
    document = current_policy(access.space).document
    found = reads.line(access.space, access.reader, document, now)
    context = {
        "line": found,
        "has_users": found.capacity - found.room + found.over != found.live,
        "policy": document,
    }
    return render(request, "memory/retention/capacity.html", context)


@require_POST
@space_page("write")
def extend(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Restart a memory's lifetime and redraw its card."""
    now = timezone.now()
    memory = extend_memory(space=access.space, memory_id=memory_id, actor=access.actor, now=now)
    context = {"memory": memory, "policy": current_policy(access.space).document}
    return render(request, "memory/memories/_card.html", context)


@require_POST
@space_page("admin")
def sweep(request: PageRequest, access: Access) -> HttpResponse:
    """Sweep now, and say what was removed."""
    swept = run_sweep(space=access.space, actor=access.actor, now=timezone.now())
    said = _("%(expired)d expired, %(evicted)d removed for space, %(purged)d purged.")
    messages.success(request, said % asdict(swept))
    return redirect("lifetimes_capacity", access.space.slug)


def _leaving(
    request: PageRequest, access: Access, document: PolicyDocument, now: datetime
) -> dict[str, Any]:
    """Return a page of memories that expire at the requested time, or at any time."""
    goes = request.GET.get("goes", "")
    goes = goes if goes in TIMES else ""
    memories = Memory.objects.in_space(access.space).readable_by(access.reader)
    rows = memories.live()
    if goes:
        rows = reads.going(rows, goes, now)
    else:
        rows = rows.filter(pinned=False, expires_at__isnull=False)
    # Memories that never expire are sorted by age, newest first.
    order = keyset("-created_at" if goes == "never" else "expires_at", nulls=False)
    places, following = order.page(
        rows.only("pk", order.field),  # read from an index; the page's few rows are loaded later
        limit=PAGE_SIZE,
        cursor=request.GET.get("cursor") or None,
        as_of=now,
    )
    return {
        "memories": memories.whole(places),
        "policy": document,
        "next": following,
        "goes": goes,
        "goes_word": TIMES.get(goes, ""),
    }


def _drawn(counts: dict[str, dict[str, int]]) -> list[dict[str, Any]]:
    """Return one row for each time: counts by tier, and each tier's position in the bar relative to
    the longest."""
    longest = max(sum(by_tier.values()) for by_tier in counts.values()) or 1
    rows = []
    for goes, by_tier in counts.items():
        parts, begin = [], 0
        for tier, count in by_tier.items():
            parts.append({"tier": tier, "x": begin / longest, "width": count / longest})
            begin += count
        row = {"goes": goes, "label": TIMES[goes], "parts": parts, "total": begin}
        rows.append(row | {"counts": list(by_tier.values())})
    return rows


def _tiers(document: PolicyDocument) -> list[dict[str, Any]]:
    ttl = document.ttl
    days = {"very_low": ttl.very_low_days, "low": ttl.low_days, "medium": ttl.medium_days}
    return [
        {
            "name": name,
            "label": label,
            "days": days.get(name),
            "whole_days": ceil(days.get(name, 0)),
        }
        for name, label in TIERS.items()
    ]
