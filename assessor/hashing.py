"""Words and pairs of words as numbered columns, for classifiers of text in any language."""

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

COLUMNS = 1 << 14
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]+|[^\W\d_{_CJK}]+|\d+")
_IS_CJK = re.compile(rf"[{_CJK}]")
_STEM = 6
# The length of the vector of all columns, compared with marks that count 1 each.
_LENGTH = 3


def normalised(text: str) -> str:
    """Return the text in lower case, with plain letters and apostrophes."""
    return unicodedata.normalize("NFKC", text).replace("\u2019", "'").lower()


def hashed(text: str) -> Counter[int]:
    """Return the columns of a normalised text, and the signed count of each."""
    found: Counter[int] = Counter()
    for gram in _grams(text):
        code = zlib.crc32(gram.encode("utf-8", "replace"))
        found[code % COLUMNS] += 1 if code & 0x80000000 else -1
    return found


def scaled(counts: Counter[int]) -> npt.NDArray[np.float32]:
    """Return the values of hashed columns, scaled so that long and short texts count alike."""
    values = np.array(list(counts.values()), dtype=np.float32)
    values = np.sign(values) * np.sqrt(np.abs(values))
    return np.asarray(values * (_LENGTH / max(float(np.linalg.norm(values)), 1e-6)))


def _grams(text: str) -> Iterator[str]:
    """Yield word stems and pairs of them; in Chinese, Japanese and Korean, 1 to 3 characters."""
    before = ""
    for token in _TOKEN.findall(text):
        if _IS_CJK.match(token):
            for size in (1, 2, 3):
                yield from (token[at : at + size] for at in range(len(token) - size + 1))
            before = ""
        else:
            stem = token[:_STEM]
            yield stem
            yield f"{before} {stem}"
            before = stem
