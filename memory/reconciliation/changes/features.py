"""The numbers of a pair of statements: their vectors, hashed words, and signs.

The signs are counted in both statements: words of change, of an end, of the past (signs.toml), and
whether both are about the same person. The vectors are the multilingual model's.
"""

import re
import tomllib
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from memory.embeddings import MULTILINGUAL, get_embedder
from memory.reconciliation.people import People, people_in
from memory.text.lexemes import unspaced
from memory.text.text_similarity import meaning, weight

Array = npt.NDArray[np.float32]

DIMENSIONS, HASHED = 512, 512
# Scale of each block; chosen by cross-validation on the training pairs.
PRODUCT, DIFFERENCE, VECTOR = 10.0, 5.0, 3.0

CHANGES = 4
"""The first signs of signs.toml, which say that something is different now."""

_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[\u3400-\u9fff]")
_NUMBER = re.compile(r"\d+")


def _load_signs(language: str) -> list[re.Pattern[str]]:
    data = tomllib.loads(resources.files(__package__).joinpath("signs.toml").read_text("utf-8"))
    return [re.compile(sign[language], re.I) for sign in data.values()]


_ENGLISH, _CHINESE = _load_signs("en"), _load_signs("zh")


def pair_features(old: str, new: str) -> tuple[Array, Array]:
    """Return the signs of a pair, which the model will scale, and its other features."""
    one, other = _vector(old), _vector(new)
    said, known = _grams(new), _grams(old)
    rest = [
        one * other * np.float32(PRODUCT),
        np.abs(one - other) * np.float32(DIFFERENCE),
        one * np.float32(VECTOR),
        other * np.float32(VECTOR),
        _hashed(said),
        _hashed(sorted(set(said) & set(known))),
    ]
    return np.array(_signs(old, new, float(one @ other)), dtype=np.float32), np.hstack(rest)


def may_tell_change(old: str, new: str) -> bool:
    """Return true if the new statement has a sign of a change, or mostly uses other words. Two
    statements of the same form ("likes opera", "likes musicals") are left to the claims.
    """
    if any(_found(_signs_of(new), new)[:CHANGES]):
        return True
    known, said = meaning(old), meaning(new)
    return weight(known & said) * 2 < weight(said)


@lru_cache(maxsize=4096)  # a new statement is compared with several memories
def _vector(text: str) -> Array:
    [vector] = get_embedder("local", MULTILINGUAL, DIMENSIONS).embed([text])
    return np.asarray(vector, dtype=np.float32)


def _signs(old: str, new: str, similarity: float) -> list[float]:
    """Return the signs of a pair, each alone and combined with the similarities of both
    statements.
    """
    patterns = _signs_of(new)
    known, said = meaning(old), meaning(new)
    both = weight(known & said)
    share, new_share = both / (weight(known) or 1), both / (weight(said) or 1)
    same, persons = _persons(people_in(new), old, new)
    before, now = _found(patterns, old), _found(patterns, new)
    numbers, others = ({*_NUMBER.findall(text)} for text in (old, new))
    return [
        *(similarity, similarity * similarity, both, share, new_share, float(both == 0)),
        *persons,
        float(bool(unspaced(new))),
        *(len(new) / 60, len(said - known) / 8, len(known - said) / 8),
        *now,
        *before,
        *(a * b for a, b in zip(now, before, strict=True)),
        *(sign * share for sign in now),
        *(sign * similarity for sign in now),
        *(sign * same for sign in now),
        *(float(bool(numbers)), float(bool(others)), float(bool(numbers & others))),
    ]


def _signs_of(text: str) -> list[re.Pattern[str]]:
    return _CHINESE if unspaced(text) else _ENGLISH


def _persons(people: People, old: str, new: str) -> tuple[float, list[float]]:
    """Return 1 if both statements begin with the same person, and how their persons differ."""
    known, said = (set(map(_name, people.others.findall(text))) for text in (old, new))
    leads = [people.first.match(text) for text in (old, new)]
    first, second = (_name(match[1]) if match else "" for match in leads)
    differ = [said - known, known - said, known & said]
    return float(first == second), [
        *(float(bool(persons)) for persons in differ),
        float(first == second),
        float(bool(second) and second != first),
        float(bool(first) and not second),
    ]


def _name(person: str) -> str:
    return person.lower().removesuffix("'s")


def _found(signs: Iterable[re.Pattern[str]], text: str) -> list[float]:
    return [float(bool(sign.search(text))) for sign in signs]


def _grams(text: str) -> Sequence[str]:
    """Return the words and word pairs of a text; a Chinese character is a word."""
    tokens = _TOKEN.findall(text.lower())
    return [*tokens, *map(" ".join, zip(tokens, tokens[1:], strict=False))]


def _hashed(grams: Iterable[str]) -> Array:
    """Hash words into a unit vector."""
    row = np.zeros(HASHED, dtype=np.float32)
    for gram in grams:
        code = zlib.crc32(gram.encode())
        row[code % HASHED] += 1.0 if code & 0x80000000 else -1.0
    row = np.sign(row) * np.sqrt(np.abs(row))
    norm = float(np.linalg.norm(row))
    return row / norm if norm else row
