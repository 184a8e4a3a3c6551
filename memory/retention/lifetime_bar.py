"""The tide line: how much life a memory has left and how much it weighs now, in words too.

Pages call `show` on the memories they are about to draw; templates/_lifetime_bar.html draws.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory.formulas.retention import life_left
from memory.models import Memory
from memory.policy import PolicyDocument
from memory.retention.overview import BANDS
from memory.store.history import importance_now

_BAND_WORDS = {
    "critical": gettext_lazy("critical"),
    "important": gettext_lazy("important"),
    "medium": gettext_lazy("of medium importance"),
    "low": gettext_lazy("of low importance"),
    "little": gettext_lazy("of little importance"),
}
EBBING_WITHIN = timedelta(hours=24)
EBBING_BELOW = 0.15


def show(memories: Iterable[Memory], policy: PolicyDocument, now: datetime) -> list[Memory]:
    """The memories, each with `importance_now`, `life_left`, `ebbing` and their words."""
    return [_show(memory, policy, now) for memory in memories]


def _show(memory: Memory, policy: PolicyDocument, now: datetime) -> Memory:
    # What is pinned keeps its date, for when it is unpinned, and does not go by it.
    ends = None if memory.pinned else memory.expires_at
    left = life_left(memory.clock_started_at, ends, now)
    soon = ends is not None and ends - now < EBBING_WITHIN
    weight = importance_now(memory, policy.decay, now)
    memory.importance_now = weight  # type: ignore[attr-defined]  # for the template, all five
    memory.life_left = left  # type: ignore[attr-defined]
    memory.ebbing = left is not None and (soon or left < EBBING_BELOW)  # type: ignore[attr-defined]
    memory.lifetime_words = _lifetime(ends, now)  # type: ignore[attr-defined]
    memory.lifetime_text = _words(memory, weight, ends)  # type: ignore[attr-defined]
    return memory


def _lifetime(expires_at: datetime | None, now: datetime) -> str:
    if expires_at is None:
        return _("stays for good")
    hours = max(0, round((expires_at - now).total_seconds() / 3600))
    if hours < 48:
        return ngettext("expires in %(n)d hour", "expires in %(n)d hours", hours) % {"n": hours}
    days = round(hours / 24)
    return ngettext("expires in %(n)d day", "expires in %(n)d days", days) % {"n": days}


def _words(memory: Memory, weight: float, ends: datetime | None) -> str:
    """ "important (0.71 now), stays until 21 December, used 4 times" """
    parts = [f"{band(weight)} ({weight:.2f} {_('now')})"]
    if ends is None:
        parts.append(_("stays for good"))
    else:
        day = date_format(timezone.localtime(ends), "DATE_FORMAT")
        parts.append(_("stays until %(day)s") % {"day": day})
    parts.append(
        ngettext("used %(n)d time", "used %(n)d times", memory.use_count) % {"n": memory.use_count}
    )
    return ", ".join(parts)


def band(importance: float) -> str:
    """The band of seed 001 that it is in, in words."""
    return str(_BAND_WORDS[next(name for name, least in BANDS.items() if importance >= least)])
