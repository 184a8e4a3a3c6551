"""Template filters of the Assessments page: ages, durations, lifetimes, money, bands, assessors.

`{% load assessments %}` in a template. Words go through Django's translation.
"""

import json
import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import number_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assessor.models import Assessment
from assessor.outbox.fault_labels import fault, fault_in_chat
from assessor.reasoning_labels import reasoning_in_words
from memory.jobs.durations import how_long
from memory.models import Status
from memory.retention.lifetime_bar import band
from memory.templatetags.ebb import age_in_words, days_since, time_tag

register = template.Library()
register.filter(band)
register.filter(fault)
register.filter(fault_in_chat)
register.filter("reasoning", reasoning_in_words)
register.filter("moment", parse_datetime)


@register.filter
def held_for(assessment: Assessment) -> list[str]:
    """Return the reasons why memories of the exchange wait for review, each once."""
    held = [one for one in assessment.memories if one.status == Status.REVIEW]
    return list(dict.fromkeys(memory.review_reason for memory in held))


@register.filter
def since(moment: datetime, now: datetime | None = None) -> SafeString:
    """Return the age as a time tag, to the minute if younger than a day.

    `now` defaults to the current time.
    """
    now = now or timezone.now()
    age = now - moment
    if age < timedelta(minutes=1):
        words = _("just now")
    elif age < timedelta(days=1):
        words = _("%(age)s ago") % {"age": how_long(age)}
    else:
        words = age_in_words(days_since(moment, now))
    return time_tag(moment, words)


@register.filter
def duration(milliseconds: float) -> str:
    """Format milliseconds: 3.41 → "3.4 ms", 812.3 → "812 ms", 1234.5 → "1.2 s"."""
    if milliseconds >= 1000:
        return _("%(time)s s") % {"time": f"{milliseconds / 1000:.1f}"}
    return _("%(time)s ms") % {"time": f"{milliseconds:.{1 if milliseconds < 9.95 else 0}f}"}


@register.filter
def usd(dollars: float) -> str:
    """Format dollars with cents from $1, below it with two significant digits: 0.0000937 →
    "$0.000094".
    """
    if dollars == 0:
        return "$0"
    if dollars >= 1:
        return f"${dollars:.2f}"
    decimals = 1 - math.floor(math.log10(dollars))
    return f"${dollars:.{decimals}f}".rstrip("0").rstrip(".")


@register.filter
def cost_or_unknown(dollars: float | None) -> str:
    """Format dollars as `usd` does; None is unknown."""
    return _("unknown") if dollars is None else usd(dollars)


@register.filter
def counted(number: int) -> str:
    """Format a whole number with separators: 12345 → "12,345"."""
    return str(number_format(number, use_l10n=True, force_grouping=True))


@register.filter
def lifetime(ttl_seconds: int | None) -> str:
    """Return an assessment's lifetime in words; None means forever."""
    if ttl_seconds is None:
        return _("kept forever")
    return _("kept for %(time)s") % {"time": how_long(timedelta(seconds=ttl_seconds))}


@register.filter
def assessor_name(assessment: Assessment) -> str:
    """Return the assessor's name: the endpoint's model, or our name for the built-in one."""
    if assessment.provider != "local":
        return assessment.model
    if assessment.fallback_of:
        said = {"model": assessment.fallback_of, "why": assessment.get_fallback_reason_display()}
        return _("the built-in assessor instead of %(model)s (%(why)s)") % said
    return _("the built-in assessor")


@register.filter
def attempt_fault(attempt: Mapping[str, str]) -> str:
    """Translate the error of a failed attempt; older attempts have no code."""
    return fault(attempt["error"], attempt.get("code"))


@register.filter
def rubric_label(rubric: str) -> str:
    """Return the name of a rubric."""
    names = {"facts": _("facts"), "graded": _("one score"), "facets": _("facets")}
    return names.get(rubric, rubric)


@register.filter
def as_json(value: Any) -> str:
    """Return the value as indented JSON for reading."""
    return json.dumps(value, ensure_ascii=False, indent=2)
