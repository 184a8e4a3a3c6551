"""Translates stored errors for the reader.

An error is stored as a code and as one English line: our sentence, then a detail such as the
status in brackets. A page shows the code's sentence in the reader's language. The detail, and
errors without a known code, stay as they are.
"""

from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from assessor.llm import ModelError
from assessor.llm.errors import ModelInterrupted, ModelUnreachable
from memory.embeddings.failures import Failure

WORKERS_STOPPED: Final = "workers_stopped"
SENTENCES: Final = {
    **{f"model.{error.kind}": error.sentence for error in ModelError.__subclasses__()},
    **{f"embedding.{failure.kind}": failure.value[0] for failure in Failure},
    WORKERS_STOPPED: _("Every worker that assessed this message stopped before finishing."),
}
"""The English sentence of each code."""
_OF_NETWORK: Final = frozenset({ModelUnreachable("").code, ModelInterrupted("").code})


def fault(stored: str, code: str | None = "") -> str:
    """Return the stored line with its sentence translated; `code` is None if it has none."""
    if code not in SENTENCES:
        return stored
    _sentence, bracket, said = stored.partition(" (")
    return gettext(SENTENCES[code]) + bracket + said


def fault_in_chat(stored: str, code: str | None = "") -> str:
    """Return the line as `fault` does, but for a broken connection without the network library's
    message. That message only helps an operator, and the models page shows it.
    """
    if code in _OF_NETWORK:
        return gettext(SENTENCES[code])
    return fault(stored, code)
