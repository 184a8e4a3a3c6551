"""The head's features: the MiniLM vector, counted phrases, and hashed words and characters.

MiniLM hardly knows Chinese, so the last two blocks cover that language.
"""

import json
import math
import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from importlib import resources

import numpy as np
import numpy.typing as npt

from assessor.local.questions import is_question
from assessor.local.sentences import IMAGE, split_sentences
from assessor.local.words import content_words

Matrix = npt.NDArray[np.float32]

HASHED_DIMENSIONS = 1024

CJK = re.compile(r"[\u3400-\u9fff]")
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[\u3400-\u9fff]|[?!]")
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][A-Za-z]+")
_DIGIT = re.compile(r"\d")
_LAUGH = re.compile(r"[\U0001f300-\U0001faff]|\b(?:lol|haha\w*|omg)\b|哈哈", re.I)
# Cues of short sentences that say nothing about their speaker.
_EMPTY_CUES = ("greeting", "thanks", "reaction", "request", "question")


def _load_cues() -> dict[str, re.Pattern[str]]:
    data = json.loads(resources.files(__package__).joinpath("cues.json").read_text("utf-8"))
    del data["about"]
    return {
        name: re.compile(f"{cue['en']}|{'|'.join(map(re.escape, cue['zh']))}", re.I)
        for name, cue in data.items()
    }


CUES = _load_cues()


def feature_matrix(texts: Sequence[str], vectors: npt.NDArray[np.float32]) -> Matrix:
    """Return features (len(texts), 384 + len(surface) + HASHED_DIMENSIONS); `vectors`
    is (n, 384).
    """
    texts = [_folded(text) for text in texts]
    surface = np.array([surface_features(text) for text in texts], dtype=np.float32)
    hashed = np.array([_hashed_features(text) for text in texts], dtype=np.float32)
    return np.hstack([vectors.astype(np.float32), surface, hashed])


def _folded(text: str) -> str:
    """Normalise full-width marks and curly apostrophes, so that both spellings give
    equal features.
    """
    return unicodedata.normalize("NFKC", text).replace("\u2019", "'")


def surface_features(text: str) -> list[float]:
    """Return counts and flags of one text's phrases, each roughly in [0, 1]."""
    sentences = split_sentences(IMAGE.sub(" ", text)) or [text]
    telling = sum(tells_about_speaker(sentence) for sentence in sentences)
    asking = sum(is_question(sentence) for sentence in sentences)
    size = word_count(text)
    cues = [float(cue.search(text) is not None) for cue in CUES.values()]
    return [
        math.log1p(size) / 4,
        math.log1p(len(content_words(text)) + len(CJK.findall(text)) / 4),
        float(size <= 3),
        float(size <= 8),
        math.log1p(len(sentences)) / 2,
        asking / len(sentences),
        float(asking == len(sentences)),
        telling / len(sentences),
        math.log1p(telling),
        math.log1p(len(CUES["first_person"].findall(text))) / 2,
        math.log1p(len(CUES["second_person"].findall(text))) / 2,
        math.log1p(len(_NAME.findall(text))),
        float(_DIGIT.search(text) is not None),
        float(CJK.search(text) is not None),
        float("!" in text),
        float(_LAUGH.search(text) is not None),
        float(IMAGE.search(text) is not None),
        *cues,
    ]


def word_count(text: str) -> float:
    """Count words; two Chinese characters count as one."""
    return len(text.split()) + len(CJK.findall(text)) / 2


def tells_about_speaker(sentence: str) -> bool:
    """Return whether the sentence states something about its speaker."""
    if is_question(sentence) or CUES["first_person"].search(sentence) is None:
        return False
    return word_count(sentence) > 4 or not any(CUES[name].search(sentence) for name in _EMPTY_CUES)


def _hashed_features(text: str) -> Matrix:
    """Hash words, word pairs and Chinese character 1- to 3-grams into a unit vector."""
    row = np.zeros(HASHED_DIMENSIONS, dtype=np.float32)
    for gram in _grams(text.lower()):
        code = zlib.crc32(gram.encode("utf-8", "replace"))
        row[code % HASHED_DIMENSIONS] += 1.0 if code & 0x80000000 else -1.0
    row = np.sign(row) * np.sqrt(np.abs(row))
    norm = float(np.linalg.norm(row))
    return row / norm if norm else row


def _grams(text: str) -> Iterator[str]:
    tokens = _TOKEN.findall(text)
    yield from tokens
    yield from map(" ".join, zip(tokens, tokens[1:], strict=False))
    for triple in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if all(CJK.match(token) for token in triple):
            yield "".join(triple)
