"""Reads a PDF from stdin and writes its pages as JSON: `python -m assessor.documents.pdf_text 50`.

A hostile file can make the parser loop or use up the memory. So it runs in its own process with
limits, and the caller waits only for a limited time (assessor.documents.reading).
"""

import json
import resource
import sys
from io import BytesIO
from typing import Any

from pypdf import PdfReader

MEMORY = 2**30  # bytes


def pages_of(data: bytes, most: int) -> dict[str, Any]:
    """Return `{"texts": […]}`, the text of each page, or `{"refused": …}`: `password` or `pages`.

    Raises one of many errors if the file is damaged.
    """
    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return {"refused": "password"}
    if len(reader.pages) > most:
        return {"refused": "pages"}
    return {"texts": [page.extract_text() for page in reader.pages]}


def main() -> None:
    """Print the text of each page of the PDF on standard input, as JSON."""
    if sys.platform == "linux":  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    json.dump(pages_of(sys.stdin.buffer.read(), int(sys.argv[1])), sys.stdout)


if __name__ == "__main__":
    main()
