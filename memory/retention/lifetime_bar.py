"""The lifetime bar: a memory's remaining lifetime and current importance, also in words.

`{{ memory|lifetime_bar:policy }}` makes the bar in a template; templates/_lifetime_bar.html draws
it.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory.formulas.retention import life_left
from memory.jobs.durations import how_long
from memory.models import Memory
from memory.policy import PolicyDocument
from memory.retention.overview import BANDS
from memory.store.history import importance_now

_BAND_WORDS = {
    "critical": gettext_lazy("critical"),
    "important": gettext_lazy("important"),
    "medium": gettext_lazy("of medium importance"),
    "low": gettext_lazy("of low importance"),
    "little": gettext_lazy("of very low importance"),
}
EBBING_WITHIN = timedelta(hours=24)
EBBING_BELOW = 0.15


@dataclass(frozen=True)
class LifetimeBar:
    """A memory's lifetime as drawn; `life_left` is None for a memory that never expires.

    `importance` is the current one, `importance_words` says both: the lifetime follows the other.
    """

    importance: float
    importance_words: str
    life_left: float | None
    is_ebbing: bool
    expiry: str
    summary: str


def lifetime_bar(memory: Memory, policy: PolicyDocument, now: datetime) -> LifetimeBar:
    """Return a memory's lifetime bar as of now."""
    # A pinned memory keeps its date in case it is unpinned, but does not expire.
    ends = None if memory.pinned else memory.expires_at
    left = life_left(memory.clock_started_at, ends, now)
    soon = ends is not None and ends - now < EBBING_WITHIN
    importance = importance_now(memory, policy.decay, now)
    return LifetimeBar(
        importance=importance,
        importance_words=_importance(memory.importance, importance),
        life_left=left,
        is_ebbing=left is not None and (soon or left < EBBING_BELOW),
        expiry=_expiry(ends, now),
        summary=_summary(memory, importance, ends),
    )


def _importance(base: float, now: float) -> str:
    """Return "importance 0.70 (now 0.61)", or only the first number if both read the same."""
    score, current = f"{base:.2f}", f"{now:.2f}"
    if score == current:
        return _("importance %(score)s") % {"score": score}
    return _("importance %(score)s (now %(now)s)") % {"score": score, "now": current}


def _expiry(expires_at: datetime | None, now: datetime) -> str:
    if expires_at is None:
        return _("kept forever")
    return _("expires in %(time)s") % {"time": how_long(expires_at - now)}


def _summary(memory: Memory, importance: float, ends: datetime | None) -> str:
    """Return a summary such as "important (0.71 now), kept until 21 December, used 4 times"."""
    score = _("%(score)s now") % {"score": f"{importance:.2f}"}
    parts = [f"{band(importance)} ({score})"]
    if ends is None:
        parts.append(_("kept forever"))
    else:
        day = date_format(timezone.localtime(ends), "DATE_FORMAT")
        parts.append(_("kept until %(day)s") % {"day": day})
    parts.append(
        ngettext("used %(n)d time", "used %(n)d times", memory.use_count) % {"n": memory.use_count}
    )
    return ", ".join(parts)


def band(importance: float) -> str:
    """Return the importance band of seed 001 in words."""
    return str(_BAND_WORDS[next(name for name, least in BANDS.items() if importance >= least)])
