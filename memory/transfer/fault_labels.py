"""The faults of an import's lines, in the reader's language.

A line's fault is stored in English, as the API shows it: "content: Field required".
"""

from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

_FAULTS: Final = {
    "Field required": _("is missing"),
    "is missing": _("is missing"),
    "has no text": _("is missing"),
    "must not be empty": _("must not be empty"),
    "must not be null": _("must not be empty"),
    "is too large": _("is too large"),
    "unknown field": _("unknown field"),
    "unknown kind of line": _("unknown kind of line"),
    "not a JSON object": _("not a JSON object"),
    "must be a date and time": _("must be a date and time"),
    "must have a time zone": _("must have a time zone"),
    "must be between 0 and 1": _("must be between 0 and 1"),
    "the same as on a line before": _("the same as on a line before"),
    "the file ends before its last line": _("the file ends before its last line"),
}


def fault_in_words(reason: str) -> str:
    """Translate the fault of a line; return an unknown one unchanged."""
    field, found, fault = reason.partition(": ")
    if not found:
        field, fault = "", reason
    if fault.startswith("Input should be"):
        words = gettext("has an invalid value")
    elif fault in _FAULTS:
        words = gettext(_FAULTS[fault])
    else:
        return reason
    return gettext("{field}: {fault}").format(field=field, fault=words) if found else words
