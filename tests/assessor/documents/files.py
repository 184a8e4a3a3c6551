"""PDF files for tests, written by hand: pages of lines, none at all, and some that mean harm."""

import zlib
from collections.abc import Sequence
from io import BytesIO

from pypdf import PdfReader, PdfWriter


def pdf(*pages: Sequence[str]) -> bytes:
    """A PDF with these lines on its pages."""
    kids = " ".join(f"{4 + 2 * place} 0 R" for place in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for place, lines in enumerate(pages):
        shown = " T* ".join(f"({line}) Tj" for line in lines)
        text = f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET"
        objects += [
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {5 + 2 * place} 0 R>>",
            f"<</Length {len(text)}>>stream\n{text}\nendstream",
        ]
    return _written(objects)


def locked(data: bytes) -> bytes:
    """The same PDF with a password."""
    writer, file = PdfWriter(clone_from=PdfReader(BytesIO(data))), BytesIO()
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(file)
    return file.getvalue()


def expanding(pages: int, letters: int, each: int = 1) -> bytes:
    """A small PDF whose pages share one stream of this many letters; each stands for `each`."""
    kids = " ".join("4 0 R" for _ in range(pages))
    words = f"<0041> <{'0041' * each}>"
    cmap = f"begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar {words}"
    return _written(
        [
            "<</Type/Catalog/Pages 2 0 R>>",
            f"<</Type/Pages/Kids[{kids}]/Count {pages}>>",
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"
            "/Contents 5 0 R>>",
            _stream(f"BT /F1 12 Tf 72 720 Td ({'A' * letters}) Tj ET"),
            _stream(f"{cmap.replace('<0041> ', '<41> ', 1)} endbfchar endcmap"),
        ]
    )


def nested(depth: int, times: int) -> bytes:
    """A small PDF whose page shows a form that shows the next one `times` times, and so on."""
    forms = [
        _stream(
            f"/X{place + 1} Do " * times,
            f"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X{place + 1} "
            f"{place + 6} 0 R>>>>",
        )
        for place in range(depth)
    ]
    last = _stream(
        "BT /F1 12 Tf (All work and no play) Tj ET",
        "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F1 3 0 R>>>>",
    )
    return _written(
        [
            "<</Type/Catalog/Pages 2 0 R>>",
            "<</Type/Pages/Kids[4 0 R]/Count 1>>",
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]"
            "/Resources<</XObject<</X0 5 0 R>>>>/Contents "
            f"{depth + 6} 0 R>>",
            *forms,
            last,
            _stream("/X0 Do"),
        ]
    )


def _stream(text: str, more: str = "") -> str:
    """An object with a compressed stream."""
    data = zlib.compress(text.encode(), 9)
    # Latin-1 keeps each byte; `_written` encodes it back.
    return (
        f"<<{more}/Filter/FlateDecode/Length {len(data)}>>stream\n"
        f"{data.decode('latin-1')}\nendstream"
    )


def _written(objects: Sequence[str]) -> bytes:
    data, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj{one}endobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        data
        + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}"
            f"trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{len(data)}\n%%EOF\n"
        ).encode()
    )
