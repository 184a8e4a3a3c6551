"""PDF files for tests, written by hand: pages of lines, or none at all."""

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


def _written(objects: Sequence[str]) -> bytes:
    data, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj{one}endobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        data
        + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}"
            f"trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{len(data)}\n%%EOF\n"
        ).encode()
    )
