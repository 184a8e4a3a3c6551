"""Labels of the signals, and of the other parts of a score."""

from typing import Final

from django.utils.translation import gettext_lazy

SIGNAL_WORDS: Final = {
    "semantic": gettext_lazy("meaning"),
    "lexical": gettext_lazy("keywords"),
    "speaker": gettext_lazy("speaker"),
    "recency": gettext_lazy("recency"),
    "importance": gettext_lazy("importance"),
}
PART_WORDS: Final = SIGNAL_WORDS | {
    "past": gettext_lazy("true at that time"),
    "others": gettext_lazy("about someone else"),
}
