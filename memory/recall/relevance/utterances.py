"""Features of an utterance that show whether the answer needs personal memories.

Four blocks: the sentence's vectors by MiniLM and by the multilingual model, one of them zero;
counted signs of its form; and hashed words.
"""

import math
import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]

MINILM, MULTILINGUAL, HASHED = 384, 512, 768
# Scales of the blocks, chosen by cross-validation (docs/relevance.md).
VECTOR_SCALE, FORM_SCALE, HASHED_SCALE = 3.0, 1.0, 2.0
# The beginning and the end of a long message show its form.
MAX_CHARACTERS = 600

_HAN = re.compile(r"[\u3400-\u9fff]")
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[\u3400-\u9fff]|[?!]")
_OWN = re.compile(r"\b(?:my|our|mine|ours)\b|我的|我家|我们|我[爸妈哥姐弟妹]", re.I)
_SELF = re.compile(r"\b(?:i|me|myself|we|us|i'[a-z]+)\b|[我咱]", re.I)
# "write me a poem" and 帮我写 are about the work, not about the speaker.
_FOR_ME = re.compile(
    r"\b(?:write|tell|give|show|make|draw|sing|teach|send|let|help|find) (?:me|us)\b"
    r"|[帮给教]我|告诉我",
    re.I,
)
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b|[你您]", re.I)
_THAT = re.compile(r"\b(?:it|that|this|these|those|again|more|instead|above)\b|[这那它再]", re.I)
# Somebody else's words: “how do you say "I am hungry"”, "fix this: he go home".
_QUOTED = re.compile(r"[\"“”‘「『《][^\"“”‘’「」『』《》]*[\"“”’」』》]|(?<=\w): .*", re.DOTALL)
_ASKS = re.compile(
    r"(?:^|[.,!;:\n]\s{0,5})(?:(?:and|so|btw|ok|oh|hey|by the way),? )?"
    r"(?:what|who|whom|whose|which|where|when|why|how)(?:'?s|'re)?\b"
    r"|(?:^|[.,!;:\n]\s{0,5})(?:do|does|did|am|is|are|was|were|have|has) (?:i|my|we|our|the)\b"
    r"|什么|啥|哪|谁|多少|几[个点号岁月年天次]|怎么|吗|呢|来着",
    re.IGNORECASE,
)
# A capital inside a sentence. "I" and its forms are not names.
_NAME = re.compile(r"(?<=[a-z0-9,;] )(?!I\b)[A-Z]\w+")


def features(texts: Sequence[str], vectors: Sequence[npt.NDArray[np.float32]]) -> Matrix:
    """Return a row of features for each text; `vectors` are the texts', each by one of the built-in
    models."""
    folded = [_folded(text) for text in texts]
    form = np.array([_form(text) for text in folded])
    hashed = np.array([_hashed(text) for text in folded])
    vector = np.array([_placed(one) for one in vectors])
    return np.hstack([vector * VECTOR_SCALE, form * FORM_SCALE, hashed * HASHED_SCALE])


def chinese_share(text: str) -> float:
    """Return the share of Chinese characters among the text's letters, in 0..1."""
    letters = sum(sign.isalpha() for sign in text)
    return len(_HAN.findall(text)) / letters if letters else 0.0


def is_question(text: str) -> bool:
    """Return whether the text is a question, by its punctuation, or in English and Chinese by its
    words.
    """
    return any(mark in text for mark in "?？؟") or bool(_ASKS.search(text))


def _placed(vector: npt.NDArray[np.float32]) -> Matrix:
    """Return the vector in its model's block; the other one is zero."""
    blocks = np.zeros(MINILM + MULTILINGUAL)
    if len(vector) == MINILM:
        blocks[:MINILM] = vector
    else:
        blocks[MINILM:] = vector
    return blocks


def _folded(text: str) -> str:
    """Return both ends of the text, with full-width marks and curly apostrophes normalised."""
    short = unicodedata.normalize("NFKC", text).replace("\u2019", "'").strip()
    if len(short) > MAX_CHARACTERS:
        short = f"{short[: MAX_CHARACTERS // 2]} {short[-MAX_CHARACTERS // 2 :]}"
    return short


def _form(text: str) -> list[float]:
    """Return counts and flags of the form of the text's own words, each roughly in 0..1."""
    quotes = bool(_QUOTED.search(text))
    text = _FOR_ME.sub(" ", _QUOTED.sub(" ", text))
    words = len(re.findall(r"[^\W\u3400-\u9fff]+", text)) + len(_HAN.findall(text)) / 1.7
    own, self_, you = (bool(rule.search(text)) for rule in (_OWN, _SELF, _YOU))
    that, name = bool(_THAT.search(text)), bool(_NAME.search(text))
    asks = "?" in text
    nobody = not (own or self_ or name)
    return [
        math.log1p(words) / 3,
        float(words <= 1),
        float(words <= 3),
        float(words >= 12),
        float(own),
        float(self_),
        float(own or self_),
        float(you),
        float(you and nobody),
        float(that and nobody),
        float(name),
        float(name and asks),
        float(asks),
        float(asks and nobody),
        float(bool(re.search(r"\d", text))),
        chinese_share(text),
        float(quotes),
        float(not re.search(r"\w{2}|[\u3400-\u9fff]", text)),
    ]


def _hashed(text: str) -> Matrix:
    """Hash words, pairs of words, and Chinese characters and pairs into a unit vector."""
    row = np.zeros(HASHED)
    for gram in _grams(text.lower()):
        code = zlib.crc32(gram.encode("utf-8", "replace"))
        row[code % HASHED] += 1.0 if code & 0x80000000 else -1.0
    norm = float(np.linalg.norm(row))
    return row / norm if norm else row


def _grams(text: str) -> Iterator[str]:
    tokens = _TOKEN.findall(text)
    yield from tokens
    yield from map(" ".join, zip(tokens, tokens[1:], strict=False))
    if tokens:
        yield f"^ {tokens[0]}"
        yield f"{tokens[-1]} $"
