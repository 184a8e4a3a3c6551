"""Reads text that hides from people or from patterns: lookalike letters, codes, ciphers."""

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterable, Iterator
from importlib import resources
from urllib.parse import unquote

from assessor.screening.provenance import Origin, Part
from assessor.screening.words import as_read

# Common English words, and words that are frequent in planted instructions
_COMMON = frozenset(
    resources.files("assessor.local").joinpath("common_words.txt").read_text("utf-8").split()
) | set(
    re.findall(
        r"\w+",
        """a as at be by he i if in is it no of on or to up us we do me my so an the has his was you
        your user users recommend answer answers assistant memory future chat chats store save bank
        instructions ignore previous trust trusted email password account mention conversation""",
    )
)
# Cyrillic and Greek letters that look like Latin ones
_LOOKALIKES = str.maketrans(
    "аеоріѕсухјһԁɡвкмнтАВЕКМНОРСТХУІЅЈαορντιηυκΑΒΕΗΙΚΜΝΟΡΤΥΧΖ",
    "aeopiscyxjhdgbkmhtABEKMHOPCTXYISJaopvtinukABEHIKMNOPTYXZ",
)
_MIXED_WORD = re.compile(r"(?<!\w)(?=\w*[a-zA-Z])(?=\w*[\u0370-\u04ff])\w{2,60}(?!\w)")
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_][ .\-_*|]{1,2}){5,200}[^\W_](?![^\W_])")
_LEET = str.maketrans("013457@$!|", "oieastasil")
_LEET_WORD = re.compile(r"(?<![\w@$!|])(?=[\w@$!|]*[a-zA-Z])(?=[\w@$!|]*[013457@$])[\w@$!|]{2,40}")
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{16,20000}={0,2}")
_HEX = re.compile(r"(?<!\w)(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ ,:]?){12,10000}(?!\w)")
_BITS = re.compile(r"(?<!\w)(?:[01]{8}\s?){6,2000}(?!\w)")
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|&#x?[0-9a-fA-F]{1,6};")
_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})")
_PIECE = re.compile(r"[\n:：.!?\"“”()]")
_WORD = re.compile(r"[a-z']{1,30}")
# A piece of text is a cipher if at least this share of its decoded words is common, and fewer of
# its words as written.
_READABLE, _FEWEST = 0.5, 3
_LONGEST = 20_000


def undisguised(text: str) -> str:
    """Return the text with plain letters instead of lookalikes, and with spaced letters joined."""
    text = as_read(text)
    if not text.isascii():
        text = _MIXED_WORD.sub(lambda found: found[0].translate(_LOOKALIKES), text)
    return _SPACED.sub(lambda found: _joined(found[0]), text)


def _joined(letters: str) -> str:
    """Join spaced letters; two blanks separate words."""
    words = re.split(r"\s{2,}", letters)
    return " ".join(re.sub(r"[ .\-_*|]", "", word) for word in words)


def decoded_parts(parts: Iterable[Part]) -> list[Part]:
    """Return the decoded texts of these parts, as further parts."""
    return [Part(said, Origin.DECODED) for part in parts for said in decoded(part.text)]


def decoded(text: str) -> Iterator[str]:
    """Yield the decoded codes and ciphers in the text that contain words."""
    text = text[:_LONGEST]
    for pattern, decode in _CODES:
        for found in pattern.finditer(text):
            if _is_text(said := " ".join(decode(found[0]).split())):
                yield said
    if len(_ESCAPED.findall(text)) >= _FEWEST:
        yield _unescaped(text)
    pieces = [piece for piece in _PIECE.split(text) if piece.strip()]
    for read in (_from_rot13, _reversed, _from_leet):
        plainer = [read(piece) for piece in pieces if _is_plainer(read(piece), piece)]
        if plainer:
            yield ". ".join(plainer)


def _from_base64(run: str) -> str:
    run = run.rstrip("=").replace("-", "+").replace("_", "/")
    # With one character too many it would not be valid code, but people cut codes off.
    run = run[:-1] if len(run) % 4 == 1 else run
    try:
        return base64.b64decode(run + "=" * (-len(run) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _from_hex(run: str) -> str:
    try:
        return bytes.fromhex(re.sub(r"0x|\\x|[ ,:]", "", run)).decode("utf-8")
    except ValueError:
        return ""


def _from_hex_words(run: str) -> str:
    """Decode blanks between words too: each word is encoded as a separate group."""
    return " ".join(map(_from_hex, re.split(r"[ ,:]", run)))


def _from_bits(run: str) -> str:
    octets = re.findall(r"[01]{8}", run)
    return bytes(int(octet, 2) for octet in octets).decode("utf-8", "replace")


_CODES = (
    (_BASE64, _from_base64),
    (_HEX, _from_hex),
    (_HEX, _from_hex_words),
    (_BITS, _from_bits),
)


def _unescaped(text: str) -> str:
    text = _UNICODE.sub(lambda found: chr(int(found[1], 16)), text)
    return html.unescape(unquote(text)).encode("utf-8", "replace").decode("utf-8")


def _from_rot13(text: str) -> str:
    return codecs.encode(text, "rot13")


def _reversed(text: str) -> str:
    return text[::-1]


def _from_leet(text: str) -> str:
    return _LEET_WORD.sub(lambda found: found[0].translate(_LEET), text)


def _is_text(said: str) -> bool:
    """Return whether the decoded characters look like words of any language."""
    letters = sum(one.isalpha() or one.isspace() for one in said)
    plain = len(said) >= 6 and said.isprintable() and letters >= 0.8 * len(said)
    return plain and (" " in said[:60] or not said.isascii())


def _is_plainer(other: str, text: str) -> bool:
    """Return whether the decoded text has more common words."""
    return _share_of_common(other) > max(_READABLE, _share_of_common(text))


def _share_of_common(text: str) -> float:
    words = _WORD.findall(text.lower())
    if len(words) < _FEWEST:
        return 0.0
    return sum(word in _COMMON for word in words) / len(words)
