"""The forms of a text: as it is stored, as it is read, and as it is compared.

One letter can be written in several ways: ö as one character or as o and two dots (macOS and PDFs
write these), １ for 1, half-width ｶﾞ for ガ. Ebb stores what people wrote, with each letter in its
shortest form, and compares texts without such differences.

Ids are not texts: two users' names that only look alike stay two users.
"""

import unicodedata
from itertools import product

# What lower case does not fold, in this order: German ß, the dot of a Turkish İ, a final sigma.
# models.folding is the same in SQL.
FOLDED = (("ß", "ss"), ("i\u0307", "i"), ("ς", "σ"))
_SPELLED = 4
ENDING = " .!。"
"""The signs at the end of a text that a comparison ignores; other signs count: C, C++ and C#."""


def composed(text: str) -> str:
    """Return the text as it is stored: in Unicode's form NFC."""
    return unicodedata.normalize("NFC", text)


def compatible(text: str) -> str:
    """Return the text as models and patterns read it: in Unicode's form NFKC, which writes １ as 1
    and ﬁ as fi."""
    return unicodedata.normalize("NFKC", text)


def folded(text: str) -> str:
    """Return the text as it is searched: `compatible`, without differences of case."""
    text = compatible(text).lower()
    for letter, plain in FOLDED:
        text = text.replace(letter, plain)
    return text


def comparing_form(text: str) -> str:
    """Return the form in which equal texts are the same: `folded`, without the signs at its end."""
    form = folded(text)
    return form.rstrip(ENDING) or form


def tag_form(text: str) -> str:
    """Return a tag as it is stored and searched."""
    return compatible(text).lower().strip().replace("i\u0307", "i")


def tag_spellings(text: str) -> list[str]:
    """Return the stored tags that a tag finds: strasse and straße are one tag. Only the first few
    places of a tag are spelled in both ways."""
    first, *rest = tag_form(text).replace("ß", "ss").split("ss", _SPELLED)
    return [
        first + "".join(sign + piece for sign, piece in zip(signs, rest, strict=True))
        for signs in product(("ss", "ß"), repeat=len(rest))
    ]
