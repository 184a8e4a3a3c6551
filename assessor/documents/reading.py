"""The text of a document: plain text, Markdown or PDF, within limits.

Error messages are translated when a page shows them.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path, PurePath
from typing import Any, Final

from django.utils.translation import gettext_noop as _

from assessor.documents.markdown_text import plain_text
from foundation.errors import EbbError
from foundation.texts.storable import storable

MAX_BYTES: Final = 10 * 2**20
MAX_PAGES: Final = 50
MAX_CHARACTERS: Final = 100_000
MARKDOWN: Final = frozenset({".md", ".markdown"})
TEXTS: Final = frozenset({".txt", ".text", *MARKDOWN})
PDF: Final = ".pdf"
_READER = Path(__file__).with_name("pdf_text.py")
_SECONDS = 60  # to read a PDF on a busy machine; pdf_text limits the processor time
_MOST_OUTPUT = 2**20  # bytes, as pdf_text

_REFUSED = {
    "password": _("The PDF needs a password. Save it without one and try again."),
    "pages": _("The document has more than 50 pages. Split it and try again."),
    "characters": _("The document has more than 100,000 characters. Split it and try again."),
    "costly": _("The PDF is too large or too complex to read. Split it and try again."),
}
_DAMAGED = _("The PDF cannot be read: it may be damaged. Save it again and try again.")
_NO_TEXT = _("The document has no text. If it is scanned, run text recognition (OCR) first.")
_NOT_TEXT = _("The file is not UTF-8 text. Save it as UTF-8 and try again.")


class UnreadableDocument(EbbError):
    """The document cannot be read, or is too long; the text says what to do."""


def is_readable(name: str) -> bool:
    """Return true if Ebb can read documents with this file extension."""
    return _ending(name) in {*TEXTS, PDF}


def texts_of(name: str, data: bytes) -> list[str]:
    """Return the text of each page of a PDF, or the only text. Raises UnreadableDocument."""
    texts = _pages(data) if _ending(name) == PDF else [_plain(data)]
    texts = [storable(text) for text in texts]
    if sum(map(len, texts)) > MAX_CHARACTERS:
        raise UnreadableDocument(_REFUSED["characters"])
    if not any(text.strip() for text in texts):
        raise UnreadableDocument(_NO_TEXT)
    return [plain_text(text) for text in texts] if _ending(name) in MARKDOWN else texts


def _ending(name: str) -> str:
    return PurePath(name).suffix.lower()


def _plain(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableDocument(_NOT_TEXT) from None
    if "\x00" in text:
        raise UnreadableDocument(_NOT_TEXT)
    return text


def _pages(data: bytes) -> list[str]:
    command = [sys.executable, "-I", str(_READER), str(MAX_PAGES), str(MAX_CHARACTERS)]
    # A file, not a pipe: the system ends a reader that writes too much.
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(  # noqa: S603 - our own command
                command,
                input=data,
                stdout=output,
                stderr=subprocess.DEVNULL,
                env={},
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise UnreadableDocument(_REFUSED["costly"]) from None
        output.seek(0)
        answer = _answer(output.read(_MOST_OUTPUT))
    if done.returncode < 0:  # ended by the system, at a limit
        raise UnreadableDocument(_REFUSED["costly"])
    if (refused := answer.get("refused")) in _REFUSED:
        raise UnreadableDocument(_REFUSED[refused])
    texts = answer.get("texts")
    if done.returncode or not isinstance(texts, list):
        raise UnreadableDocument(_DAMAGED)
    return [str(text) for text in texts]


def _answer(written: bytes) -> dict[str, Any]:
    """Return what the reader wrote; {} if it is missing, cut off or not an object."""
    try:
        answer = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}
