"""Reads a PDF from stdin and writes its pages as JSON: `python -I pdf_text.py PAGES CHARACTERS`.

A hostile file can make the parser loop, use up the memory or write without an end. So it runs in
its own process with limits of the system, and stops at the first page that is too much. It knows no
setting of Ebb and no secret (assessor.documents.reading).
"""

import json
import resource
import sys
from io import BytesIO
from typing import Any

from pypdf import PdfReader
from pypdf.errors import LimitReachedError

MEMORY = 512 * 2**20  # bytes
SECONDS = 20  # of processor time
OUTPUT = 2**20  # bytes: 100,000 characters have at most 600,000


class _TooLong(BaseException):
    """The text has more characters than allowed. Not an Exception, because pypdf continues after
    those in a part of a page."""


def pages_of(data: bytes, pages: int, characters: int) -> dict[str, Any]:
    """Return `{"texts": […]}`, the text of each page, or `{"refused": …}`: `password`, `pages` or
    `characters`.

    Raises one of many errors if the file is damaged.
    """
    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return {"refused": "password"}
    if len(reader.pages) > pages:
        return {"refused": "pages"}
    texts: list[str] = []
    left = characters
    for page in reader.pages:
        try:
            texts.append(_text(page, left))
        except _TooLong:
            return {"refused": "characters"}
        left -= len(texts[-1])
    return {"texts": texts}


def _text(page: Any, most: int) -> str:
    """Return the text of a page. Raises _TooLong as soon as it has more characters."""
    written = 0

    def count(text: str, *_: object) -> None:
        nonlocal written
        written += len(text)
        if written > most:
            raise _TooLong

    found: str = page.extract_text(visitor_text=count)
    if len(found) > most:
        raise _TooLong
    return found


def main() -> None:
    """Print the text of each page of the PDF on standard input, as JSON."""
    if sys.platform == "linux":  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        answer = pages_of(sys.stdin.buffer.read(), int(sys.argv[1]), int(sys.argv[2]))
    except (LimitReachedError, MemoryError, RecursionError):
        answer = {"refused": "costly"}
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
