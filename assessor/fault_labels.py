"""What went wrong with a model, in the reader's language.

It is stored as one English line: a sentence of ours, and in brackets what the endpoint said. A page
says the sentence in the reader's words; the rest, and a sentence that is not ours, stays as it is.
A test holds the sentences against those of assessor.llm and memory.embeddings.
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
    """The stored line, its sentence in the reader's words."""
    sentence, bracket, said = stored.partition(" (")
    return (gettext(sentence) if sentence in SENTENCES else sentence) + bracket + said
