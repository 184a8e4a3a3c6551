"""The reasoning of the built-in assessor, stored in English, in the reader's language."""

import re
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models.choices import MemoryType

# As assessor.local.assessing writes it.
_READS = re.compile(
    r"Reads like (?P<type>\w+) \((?P<sure>\d+%) sure\); worth keeping: (?P<worth>\d+%); "
    r"voice: (?P<voice>[a-z ]+)"
)
_VOICES: Final = {
    "own": gettext_lazy("own words"),
    "request": gettext_lazy("request"),
    "question": gettext_lazy("question"),
    "small talk": gettext_lazy("small talk"),
    "others words": gettext_lazy("someone else's words"),
    "fiction": gettext_lazy("fiction"),
    "hypothesis": gettext_lazy("hypothesis"),
    "joke": gettext_lazy("joke"),
    "program": gettext_lazy("a program's prompt"),
    "steer": gettext_lazy("attempt to steer"),
}


def reasoning_in_words(reasoning: str) -> str:
    """Return the built-in assessor's reasoning translated, and any other unchanged."""
    found = _READS.fullmatch(reasoning)
    if found is None or found["type"] not in MemoryType.values:
        return reasoning
    kind = MemoryType(found["type"]).label
    parts = [_("Reads like %(type)s (%(sure)s sure)") % {"type": kind, "sure": found["sure"]}]
    parts.append(_("worth keeping: %(worth)s") % {"worth": found["worth"]})
    voice = _VOICES.get(found["voice"], found["voice"])
    parts.append(_("voice: %(voice)s") % {"voice": voice})
    return _("; ").join(parts)
