"""Trains the matrix that turns remarks toward the memories that help with them.

The matrix is kept small, so that it changes an utterance little. It is trained so that each
remark's memory scores above the others of the space.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.relevance.asking import Space, fact_drafts
from benchmarks.relevance.examples import Examples

Matrix = npt.NDArray[np.float32]

# By cross-validation on the training set: a smaller penalty finds less.
PENALTY, SHARPNESS = 30.0, 10.0
STEPS, RATE, MOMENTUM = 60, 0.3, 0.9
NONE = np.zeros((384, 384), dtype=np.float32)


@dataclass(frozen=True)
class Remark:
    """A remark and its vector; the vectors of its space's memories, their scores without the
    similarity, and the place of the memory that helps."""

    text: str
    vector: Matrix
    memories: Matrix
    rest: Matrix
    place: int


def remarks_of(given: Examples, now: datetime) -> Iterator[Remark]:
    """Make each remark in the space of all facts, and each update in its person's space."""
    space = Space(fact_drafts(given.facts, now), "all", now)
    for place, fact in enumerate(given.facts):
        said = [one.text for one in fact.utterances if one.kind == "passing"]
        yield from (_remark(space, text, place) for text in said)
    for person in given.persons:
        space = Space(fact_drafts(person.memories, now), "one person", now)
        told = [one for one in person.statements if one.helpful]
        yield from (_remark(space, one.text, one.helpful[0]) for one in told)


def _remark(space: Space, text: str, place: int) -> Remark:
    vector, found = space.recalled(text, len(space.ids), matrix=NONE)
    rest = {one.pk: one.score - one.signal_semantic for one in found}
    scores = np.array([rest[pk] for pk in space.ids], dtype=np.float32)
    return Remark(text, vector, space.vectors, scores, place)


def fit(given: Iterable[Remark]) -> Matrix:
    """Return the matrix, by gradient descent on the log-loss of the memory that helps."""
    spaces = [list(group) for _, group in groupby(given, key=lambda one: id(one.memories))]
    size, total = spaces[0][0].memories.shape[1], sum(map(len, spaces))
    matrix = np.zeros((size, size), dtype=np.float32)
    speed = np.zeros_like(matrix)
    for _ in range(STEPS):
        slope = sum((_slope(space, matrix) for space in spaces), PENALTY * matrix) / total
        speed = np.asarray(MOMENTUM * speed + slope, dtype=np.float32)
        matrix = matrix - RATE * speed
    return matrix


def _slope(space: Sequence[Remark], matrix: Matrix) -> Matrix:
    """Return the slope of the log-loss of one space's remarks."""
    said, memories = np.array([one.vector for one in space]), space[0].memories
    moved = said + said @ matrix.T
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    units = moved / lengths
    odds = SHARPNESS * (units @ memories.T + np.array([one.rest for one in space]))
    chance = np.exp(odds - odds.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    chance[np.arange(len(space)), [one.place for one in space]] -= 1.0
    pull = SHARPNESS * chance @ memories
    across = pull - (pull * units).sum(axis=1, keepdims=True) * units
    return np.asarray((across / lengths).T @ said, dtype=np.float32)


def save(matrix: Matrix) -> None:
    """Write the matrix for recall, which then uses it."""
    from memory.recall import remarks

    path = Path(remarks.__file__).parent / remarks.MATRIX_FILE
    np.savez_compressed(path, allow_pickle=False, matrix=matrix.astype(np.float16))
    remarks.load_matrix.cache_clear()
