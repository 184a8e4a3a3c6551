"""The reasoning of the built-in assessor, stored in English, in the reader's language."""

import re
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models.choices import MemoryType

# As assessor.local.assessing writes it.
_READS = re.compile(
    r"Reads like (?P<type>\w+) \((?P<sure>\d+%) sure\)(?:; wording: (?P<cues>[a-z, ]+))?"
    r"(?:; P (?P<p>[\d.]+) \((?P<p_sure>\d+%) sure\))?"
)
_CUES: Final = {
    "identity": gettext_lazy("identity"),
    "health": gettext_lazy("health"),
    "relation": gettext_lazy("relation"),
    "preference": gettext_lazy("preference"),
    "decision": gettext_lazy("decision"),
    "wish": gettext_lazy("wish"),
    "todo": gettext_lazy("todo"),
    "date": gettext_lazy("date"),
    "feeling": gettext_lazy("feeling"),
    "greeting": gettext_lazy("greeting"),
    "thanks": gettext_lazy("thanks"),
    "reaction": gettext_lazy("reaction"),
    "request": gettext_lazy("request"),
}


def reasoning_in_words(reasoning: str) -> str:
    """Return the built-in assessor's reasoning translated, and any other unchanged."""
    found = _READS.fullmatch(reasoning)
    if found is None or found["type"] not in MemoryType.values:
        return reasoning
    kind = MemoryType(found["type"]).label
    parts = [_("Reads like %(type)s (%(sure)s sure)") % {"type": kind, "sure": found["sure"]}]
    if found["cues"]:
        cues = [str(_CUES.get(cue, cue)) for cue in found["cues"].split(", ")]
        parts.append(_("wording: %(cues)s") % {"cues": _(", ").join(cues)})
    if found["p"]:
        parts.append(_("P %(p)s (%(sure)s sure)") % {"p": found["p"], "sure": found["p_sure"]})
    return _("; ").join(parts)
