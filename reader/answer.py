"""Reads a question or remark beside memories: which of them answers it, and with which words."""

import functools
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np
from safetensors.numpy import load

from reader.comparison import Comparison, Text, texts_of
from reader.convolutions import Array
from reader.network import sigmoid, softmax
from reader.sentences import sentence_places
from reader.vocabulary import Piece, pieces_of

ASKED, MEMORY = 48, 64
"""Pieces that are read of a question, and at once of a memory."""
SENTENCES = 8
"""Sentences of a long memory that are compared with the question; the nearest is read."""
NEITHER, HELPS, ANSWERS = range(3)
"""The outputs of the head `answer`."""


@dataclass(frozen=True)
class Answer:
    """A memory beside a question.

    `relevance` is the probability that the memory answers the question or helps with it, `answers`
    that this one, and none of the others, answers it: by `memory[start:end]`, if it does.
    """

    relevance: float
    answers: float
    start: int
    end: int


def answers(asked: str, memories: Sequence[str]) -> list[Answer]:
    """Return what each memory has to do with a question or remark, in their order."""
    return list(_read(asked, tuple(memories))) if memories else []


@functools.lru_cache(maxsize=64)
def _read(asked: str, memories: tuple[str, ...]) -> Sequence[Answer]:
    network = load_network()
    [question] = texts_of([pieces_of(asked)[:ASKED]])
    parts = [_nearest_part(question, memory) for memory in memories]
    found = network.compare(question, texts_of(parts))
    outputs = network.head("answer", found.pairs) + network.head("cosines", found.cosines)
    relevances = 1 - softmax(outputs)[:, NEITHER]
    odds = outputs[:, ANSWERS] - np.logaddexp(outputs[:, NEITHER], outputs[:, HELPS])
    shares = softmax(np.append(odds, 0.0))
    inside = sigmoid(network.head("span", found.pieces)[..., 0])
    return [
        Answer(float(relevances[i]), float(shares[i]), *_place(part, inside[i]))
        for i, part in enumerate(parts)
    ]


def _nearest_part(question: Text, memory: str) -> list[Piece]:
    """Return the part of a memory to read: a short one as a whole, of a long one the sentence most
    similar to the question among those that share the rarest pieces with it."""
    pieces = pieces_of(memory)
    if len(pieces) <= MEMORY:
        return pieces
    parts = [
        pieces[bisect_left(pieces, a, key=_start) : bisect_left(pieces, b, key=_start)]
        for a, b in sentence_places(memory)
    ]
    held = Counter(piece.id for piece in pieces)
    asked = set(question.ids.tolist())
    shared = [sum(1 / held[one] for one in {p.id for p in part} & asked) for part in parts]
    best = sorted(range(len(parts)), key=lambda i: -shared[i])[:SENTENCES]
    read = [parts[i][:MEMORY] for i in best]
    nearest = np.argmax([question.vector @ one.vector for one in texts_of(read)])
    return read[int(nearest)]


def _start(piece: Piece) -> int:
    return piece.start


def _place(pieces: Sequence[Piece], inside: Array) -> tuple[int, int]:
    """Return where the stretch begins and ends that most likely answers: the one with the largest
    sum of what the chances of its pieces are above a half."""
    best, start, total, place = -1.0, 0, 0.0, (0, 0)
    for i, piece in enumerate(pieces):
        if total <= 0:
            start, total = piece.start, 0.0
        total += float(inside[i + 1]) - 0.5  # after the sign that begins the text
        if total > best:
            best, place = total, (start, piece.end)
    return place


@functools.cache
def load_network() -> Comparison:
    """Read the committed weights, once per process."""
    file = resources.files("reader.weights").joinpath("answer.safetensors")
    return Comparison(load(file.read_bytes()))
