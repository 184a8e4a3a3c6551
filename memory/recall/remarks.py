"""Turns the vector of a remark toward the memories that help with it.

MiniLM compares meanings: "We booked a cruise." is not near "User gets seasick easily", while a
question is near its answer. So only remarks are turned, by a matrix that `python -m
benchmarks.relevance` trains on our own English examples.
"""

import functools
import re
from importlib import resources

import numpy as np
import numpy.typing as npt

from accounts.models import Embedder
from memory.embeddings import MINILM
from memory.embeddings.trust import trust
from reader import Message, read

Vector = npt.NDArray[np.float32]

MATRIX_FILE = "remarks.npz"
FEWEST, MOST = 4, 60
"""Words of a remark: fewer are keywords to search for, and more are a text about several things."""
_WORD = re.compile(r"\w+")
# A text that begins like a memory. Models search with such texts.
_OF_USER = re.compile(r"(?:the )?user\b", re.I)


def is_remark(model: Embedder, text: str) -> bool:
    """Return whether the text is a remark whose vector by this model can be turned."""
    if (model.provider, model.model) != ("local", MINILM) or _OF_USER.match(text):
        return False
    if trust(model, text) < 1.0 or not FEWEST <= len(_WORD.findall(text)) <= MOST:
        return False
    return read(Message(text)).voice != "question"


def toward_memories(model: Embedder, text: str, vector: Vector) -> Vector:
    """Return the vector to compare with memories: a remark's is turned, any other is unchanged."""
    return turned(vector, load_matrix()) if is_remark(model, text) else vector


def turned(vector: Vector, matrix: Vector) -> Vector:
    """Return the unit vector of the vector plus the matrix's product with it."""
    moved = vector + matrix @ vector
    return np.asarray(moved / np.linalg.norm(moved), dtype=np.float32)


@functools.cache
def load_matrix() -> Vector:
    """Read the committed matrix, once per process."""
    file = resources.files(__package__).joinpath(MATRIX_FILE)
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        return np.asarray(arrays["matrix"], dtype=np.float32)
