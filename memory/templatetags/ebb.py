"""Tags and filters for shared partials in templates/: icons, percentages, scores and ages.

Load with `{% load ebb %}`. Numbers in SVG attributes are the same in every language; words are
translated by Django.
"""

import re
from datetime import datetime
from functools import lru_cache

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext, ngettext

from accounts.models import Scope, WebhookEvent
from accounts.sign_in.devices import device
from memory.jobs.durations import how_long
from memory.models import Memory
from memory.models.reasons import in_words
from memory.policies.profiles import PROFILE_NAMES
from memory.policy import PolicyDocument
from memory.recall.prompt_forms import age
from memory.retention import lifetime_bar as bars
from memory.retention.lifetime_bar import LifetimeBar
from memory.store.adjustment_labels import signed
from memory.store.history_labels import who, why

register = template.Library()
register.filter(device)
register.filter(in_words)
register.filter(why)
register.filter(how_long)
register.filter(signed)
register.filter("profile_name", lambda name: PROFILE_NAMES.get(name, name))
register.filter("scope_label", lambda scope: Scope(scope).label)
register.filter("event_label", lambda event: dict(WebhookEvent.choices).get(event, event))

register.filter("actor", who)

THINNEST_PX, THICKEST_PX = 1.0, 3.0


@register.simple_tag
@lru_cache(maxsize=200)
def icon_url(name: str) -> str:
    """Return the URL of one symbol in static/ebb/icons.svg, for <use href>."""
    return f"{static('ebb/icons.svg')}#{name}"


# Cached: a page has hundreds of icons, and computing a static file's URL is slow.
@register.simple_tag
@lru_cache(maxsize=500)
def icon(name: str, css_class: str = "") -> SafeString:
    """Return one symbol of the sprite, hidden from screen readers because text is next to it."""
    return format_html(
        '<svg class="icon {}" aria-hidden="true"><use href="{}"></use></svg>',
        css_class,
        icon_url(name),
    )


@register.filter
def percent(fraction: float) -> str:
    """Return a fraction in [0, 1] as an SVG length: 0.634 → "63.4%", with a dot in every
    language."""
    return f"{_clamped(fraction) * 100:.1f}%"


@register.filter
def whole_percent(fraction: float) -> str:
    """Return a fraction as a number of percent without decimals: 0.634 → "63"."""
    return f"{fraction * 100:.0f}"


@register.filter
def score(fraction: float) -> str:
    """Return a score with two decimals: 0.7149 → "0.71"."""
    return f"{fraction:.2f}"


@register.filter
def stored_error(line: str) -> str:
    """Translate the sentence of a stored error; the endpoint's words in brackets stay."""
    sentence, bracket, said = line.partition(" (")
    return (gettext(sentence) if sentence else "") + bracket + said


@register.filter
def match_in_words(match: str) -> str:
    """Translate "92% match"; return any other text unchanged."""
    number, found, _rest = match.partition("% match")
    return gettext("{said}% match").format(said=number) if found else match


@register.filter
def lifetime_bar(memory: Memory, policy: PolicyDocument) -> LifetimeBar:
    """Return the current lifetime bar of a memory, for templates/_lifetime_bar.html."""
    return bars.lifetime_bar(memory, policy, timezone.now())


@register.filter
def thickness(importance: float) -> str:
    """Return the lifetime bar's stroke in pixels: 1 for importance 0, up to 3 for importance 1."""
    return f"{THINNEST_PX + (THICKEST_PX - THINNEST_PX) * _clamped(importance):.2f}"


@register.filter
def ago(moment: datetime, now: datetime | None = None) -> SafeString:
    """Return the age of an aware `moment` in words inside <time>, with the exact time as title.

    `now` defaults to the current time.
    """
    return time_tag(moment, age_in_words(days_since(moment, now or timezone.now())))


def time_tag(moment: datetime, words: str) -> SafeString:
    """Return <time> around the words, with the exact time as title."""
    local = timezone.localtime(moment)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        local.isoformat(timespec="seconds"),
        date_format(local, "DATETIME_FORMAT"),
        words,
    )


def days_since(moment: datetime, now: datetime) -> int:
    """Return the calendar days from an aware moment to now, in the reader's time zone."""
    return (timezone.localdate(now) - timezone.localdate(moment)).days


def age_in_words(days: int) -> str:
    """Return 今天 / n天前 / n个月前 / n年前 (seed 003, section 6) or the equivalent in the reader's
    language.

    `days` are those of days_since; a day in the future is called today.
    """
    count, unit = age(days)
    if unit == "today":
        return gettext("today")
    if unit == "day":
        return ngettext("%(count)d day ago", "%(count)d days ago", count) % {"count": count}
    if unit == "month":
        return ngettext("%(count)d month ago", "%(count)d months ago", count) % {"count": count}
    return ngettext("%(count)d year ago", "%(count)d years ago", count) % {"count": count}


@register.filter
def shortened(text: str, most: int) -> str:
    """Shorten a text as `truncatechars` does, without its work for texts that are short enough."""
    return text if len(text) <= most else Truncator(text).chars(most)


@register.filter
def bdi(name: str) -> SafeString:
    """Return a name isolated from the surrounding text, whose direction may differ."""
    return format_html("<bdi>{}</bdi>", name)


@register.filter
def marking(text: str, quote: str) -> SafeString:
    """Return the text with a quote from it in <mark>, ignoring line breaks."""
    words = [re.escape(word) for word in quote.removesuffix("…").split()]
    found = re.search(r"\s+".join(words), text, re.IGNORECASE) if words else None
    if found is None:
        return conditional_escape(text)
    before, after = text[: found.start()], text[found.end() :]
    return format_html("{}<mark>{}</mark>{}", before, found.group(), after)


def _clamped(fraction: float) -> float:
    return min(1.0, max(0.0, fraction))
