"""Translates stored model errors for the reader.

An error is stored as one English line: our sentence, then the endpoint's message in brackets. A
page translates the sentence; the message and unknown sentences stay as they are. A test compares
the sentences with those of assessor.llm and memory.embeddings.
"""

from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

SENTENCES: Final = frozenset(
    (
        _("The model cannot be reached."),
        _("The model did not answer in time."),
        _("The model's endpoint refused the API key."),
        _("The endpoint does not know this model, or the URL is wrong."),
        _("The model's endpoint reached its rate limit."),
        _("The model's endpoint rejected the request."),
        _("The model's endpoint returned an error."),
        _("The model's answer could not be read."),
        _("The model's answer was cut off."),
        _("The embedding endpoint cannot be reached."),
        _("The embedding endpoint did not answer in time."),
        _("The embedding endpoint's answer was cut off."),
        _("The embedding endpoint reached its rate limit."),
        _("The embedding endpoint returned an error."),
        _("The embedding endpoint's answer could not be read."),
        _("The embedding endpoint refused the API key."),
        _("The embedding endpoint does not know this model, or the URL is wrong."),
        _("The embedding endpoint rejected the texts."),
        _("The embedding endpoint rejected the request."),
        _("Every worker that assessed this stopped before it finished."),
    )
)


def fault(stored: str) -> str:
    """Return the stored line with its sentence translated."""
    sentence, bracket, said = stored.partition(" (")
    return (gettext(sentence) if sentence in SENTENCES else sentence) + bracket + said
