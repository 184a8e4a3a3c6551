"""The names and meanings of the ranking profiles, for people."""

from typing import Final

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

PROFILE_NAMES: Final = {
    "hybrid": pgettext_lazy("ranking profile", "hybrid"),
    "similar_recent": pgettext_lazy("ranking profile", "similar and recent"),
    "typed": pgettext_lazy("ranking profile", "typed"),
    "vivid": pgettext_lazy("ranking profile", "vivid"),
    "combined": pgettext_lazy("ranking profile", "combined"),
    "relevance": pgettext_lazy("ranking profile", "relevance"),
    "date": pgettext_lazy("ranking profile", "date"),
}
"""The names of the ranking profiles."""

PROFILE_MEANINGS: Final = {
    "hybrid": _("keywords and meaning, with a little recency and importance"),
    "similar_recent": _("meaning and recency"),
    "typed": _("meaning and importance"),
    "vivid": _("the three closest in meaning among the most important"),
    "combined": _("meaning, with a little recency and importance"),
    "relevance": _("meaning only"),
    "date": _("newest first, whatever the question"),
}
"""The signals that each ranking profile uses."""

PROFILE_CHOICES: Final = {
    name: format_lazy("{}: {}", PROFILE_NAMES[name], meaning)
    for name, meaning in PROFILE_MEANINGS.items()
}
"""The ranking profiles as options of a form."""
