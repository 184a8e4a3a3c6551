"""One sentence that says why a memory was recalled: "Matched by meaning, 62%; said in March"."""

from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from chat.why.explaining import Stored
from memory.templatetags.ebb import age_in_words, days_since

RECENT = 30
"""Below this age in days the sentence gives the age, above it the month."""


def why_sentence(hit: Stored, now: datetime) -> str:
    """Return the sentence about one recalled memory, in the reader's language."""
    return _("%(matched)s; %(said)s") % {"matched": _matched(hit), "said": _said(hit, now)}


def _matched(hit: Stored) -> str:
    """Return the signal that contributed most, with the match if that is the meaning."""
    parts = hit["contributions"]
    strongest = max(parts, key=lambda name: parts[name], default="")
    percent = hit["match"].partition("%")[0]
    has_words = hit["signals"].get("lexical", 0.0) > 0.0
    return {
        "semantic": (_("Matched by meaning and words, {}%") if has_words
                     else _("Matched by meaning, {}%")).format(percent),
        "lexical": _("Matched by its words"),
        "speaker": _("Matched by speaker"),
        "recency": _("Recalled because it is recent"),
        "importance": _("Recalled because it is important"),
        "past": _("True at the time you asked about"),
    }.get(strongest, _("Found by a search"))  # fmt: skip


def _said(hit: Stored, now: datetime) -> str:
    memory = hit["memory"]
    at = timezone.localtime(datetime.fromisoformat(memory["created_at"]))
    days = days_since(at, now)
    if days < RECENT:
        when = age_in_words(days)
        is_said = _("said %(when)s")
        is_saved = _("saved %(when)s")
    else:
        when = date_format(at, "F" if at.year == timezone.localtime(now).year else "F Y")
        is_said = _("said in %(when)s")
        is_saved = _("saved in %(when)s")
    return (is_said if memory["source"]["role"] == "user" else is_saved) % {"when": when}
