"""Reads a person's message: who speaks in it, and the facts in it that are worth keeping."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources

import numpy as np
from safetensors.numpy import load

from reader.convolutions import Array
from reader.network import Network, sigmoid, softmax
from reader.sentences import sentence_ends, sentence_places
from reader.vocabulary import BEGIN, END, Piece, pieces_of

VOICES = (
    "own", "request", "question", "small_talk", "others_words",
    "fiction", "hypothesis", "joke", "program", "steer",
)  # fmt: skip
TYPES = ("identity", "goal", "decision", "todo", "preference", "fact", "event", "observation")
ABOUT = ("me", "other", "nobody")
FACETS = ("P", "valence", "intensity", "I", "J")
OPEN_VOICES = ("own", "request", "question", "small_talk")
"""Voices that may say something true of the person beside what they ask."""
POSSIBLE, SURE, SURELY_NOT = 0.1, 0.95, 0.02
SMALLEST = 1e-9
BEGINNINGS = 3.0
"""The weight in training of a fact's first piece, of which there are few; a part of it is taken
back in reading."""
TAKEN_BACK = 0.9  # as a logarithm
STEPS = (0.1, 0.5, 1.0)
"""The scale of P: everyday life, weeks or months, for good."""

BEFORE, WINDOW = 48, 160
"""Pieces that are read at once: of the turn before, and of the message itself."""
_MOST_WINDOWS, _MOST_SENTENCES = 16, 24
_OUTSIDE, _FIRST, _INSIDE = 0, 1, 2  # outputs of the head that finds the facts
_TEXT, _TURN_BEFORE = 0, 1  # segments


@dataclass(frozen=True)
class Message:
    """A person's message and the assistant's turn before it."""

    text: str
    before: str = ""


@dataclass(frozen=True)
class Fact:
    """A piece of a message, `text[start:end]`, that says something worth keeping.

    `importance` and the facets P, intensity, I and J are in [0, 1], valence in [-1, 1]. `sureness`
    is the probability of the type, `correction` that the fact takes back an earlier one.
    """

    start: int
    end: int
    type: str
    importance: float
    facets: dict[str, float]
    about: str
    sureness: float
    correction: float


@dataclass(frozen=True)
class Reading:
    """The contents of a message.

    `worth` is the probability that it holds a fact worth keeping, `voices` has the probability of
    each voice, and `importance` says what the message is worth as a whole, from 0 to 1. `personal`
    is the probability that it concerns the person or somebody whom they name.
    """

    worth: float
    personal: float
    importance: float
    voices: dict[str, float]
    facts: list[Fact]

    @property
    def voice(self) -> str:
        """The most likely voice."""
        return max(self.voices, key=self.voices.__getitem__)

    @property
    def may_be_own(self) -> bool:
        """True if the person may say something true of themselves, beside what they ask."""
        return sum(self.voices[voice] for voice in OPEN_VOICES) >= POSSIBLE


def read(message: Message) -> Reading:
    """Return what the message says. A long one is read in parts, whose facts count unless the first
    part says that the rest is not the person's own. Each sentence is read by itself, too.
    """
    reading = _read_whole(message)
    places = sentence_places(message.text)[:_MOST_SENTENCES]
    if len(places) < 2:
        return reading
    for start, end in places:
        reading = _beside(reading, _read_whole(Message(message.text[start:end])), start, end)
    return reading


def _beside(reading: Reading, alone: Reading, start: int, end: int) -> Reading:
    """Return the reading beside that of its sentence `start:end` alone: without facts in a sentence
    that is somebody else's or surely has none, and with one that the sentence surely states."""
    others = [fact for fact in reading.facts if fact.end <= start or fact.start >= end]
    if not alone.may_be_own or alone.worth < SURELY_NOT:
        return replace(reading, facts=others)
    if alone.worth < SURE or not reading.may_be_own:
        return reading
    moved = [replace(one, start=one.start + start, end=one.end + start) for one in alone.facts]
    told = len(others) < len(reading.facts)
    return replace(
        reading,
        worth=max(reading.worth, alone.worth),
        importance=max(reading.importance, alone.importance),
        facts=reading.facts if told else sorted([*others, *moved], key=lambda one: one.start),
    )


def _read_whole(message: Message) -> Reading:
    before = pieces_of(message.before)[-BEFORE:]
    parts = [
        _read_part(pieces, before if not number else [])
        for number, pieces in enumerate(_parts(message.text))
    ]
    first = parts[0]
    if not first.may_be_own:
        parts = parts[:1]
    return Reading(
        worth=max(part.worth for part in parts),
        personal=first.personal,
        importance=max(part.importance for part in parts),
        voices=first.voices,
        facts=[fact for part in parts for fact in part.facts],
    )


def _parts(text: str) -> list[list[Piece]]:
    """Return the pieces of a text in parts that end with a sentence, if they can."""
    pieces, parts = pieces_of(text), list[list[Piece]]()
    ends = sentence_ends(text) if len(pieces) > WINDOW else []
    while len(pieces) > WINDOW and len(parts) < _MOST_WINDOWS:
        furthest = pieces[WINDOW].start
        end = max([end for end in ends if pieces[0].start < end <= furthest], default=furthest)
        cut = next(i for i, piece in enumerate(pieces) if piece.start >= end)
        parts.append(pieces[:cut])
        pieces = pieces[cut:]
    return [*parts, pieces[:WINDOW]]


def _read_part(pieces: Sequence[Piece], before: Sequence[Piece]) -> Reading:
    network = load_network()
    turn = [BEGIN, *(piece.id for piece in before), END] if before else []
    ids = [*turn, BEGIN, *(piece.id for piece in pieces), END]
    hidden = network.hidden(ids, [_TURN_BEFORE] * len(turn) + [_TEXT] * (len(ids) - len(turn)))
    whole, said = hidden[0], hidden[len(turn) + 2 : len(hidden) - 1]
    spans = _spans(softmax(network.head("tag", said))) if len(said) else []
    vectors = [said[start:end].mean(axis=0) + whole for start, end in spans]
    return Reading(
        worth=float(sigmoid(network.head("keep", whole))[0]),
        personal=1 - float(softmax(network.head("about", whole))[ABOUT.index("nobody")]),
        importance=float(sigmoid(network.head("importance", whole))[0]),
        voices=dict(zip(VOICES, map(float, softmax(network.head("voice", whole))), strict=True)),
        facts=[
            _fact(pieces[start].start, pieces[end - 1].end, vector)
            for (start, end), vector in zip(spans, vectors, strict=True)
        ],
    )


def _spans(tags: Array) -> list[tuple[int, int]]:
    """Return where facts begin and end, (n, 3) probabilities given; the likeliest piece at least.

    Takes the likeliest row of tags in which a fact goes on only where one began, by the algorithm
    of Viterbi.
    """
    costs = -np.log(np.maximum(tags, SMALLEST))
    costs[:, _FIRST] += TAKEN_BACK
    costs[0, _FIRST] = costs[0].min(initial=costs[0, _FIRST], where=[False, True, True])
    cost, came_from = costs[0] + [0.0, 0.0, np.inf], []
    for step in costs[1:]:
        within = cost + [np.inf, 0.0, 0.0]
        came_from.append((cost.argmin(), cost.argmin(), within.argmin()))
        cost = step + [cost.min(), cost.min(), within.min()]
    path = [int(cost.argmin())]
    for before in reversed(came_from):
        path.append(int(before[path[-1]]))
    path = [*reversed(path), _OUTSIDE]
    if _FIRST not in path:
        path[int(tags[:, _OUTSIDE].argmin())] = _FIRST
    starts = [i for i, tag in enumerate(path) if tag == _FIRST]
    return [(i, next(j for j in range(i + 1, len(path)) if path[j] != _INSIDE)) for i in starts]


def _fact(start: int, end: int, vector: Array) -> Fact:
    network = load_network()
    types = softmax(network.head("ftype", vector))
    importance, *facets = map(float, network.head("fnum", vector))
    return Fact(
        start=start,
        end=end,
        type=TYPES[int(types.argmax())],
        importance=min(max(importance, 0.0), 1.0),
        facets=_bounded(facets),
        about=ABOUT[int(network.head("fabout", vector).argmax())],
        sureness=float(types.max()),
        correction=float(sigmoid(network.head("fcorr", vector))[0]),
    )


def _bounded(facets: Sequence[float]) -> dict[str, float]:
    """Return the facets by name, within their bounds; P is one of its steps."""
    found = dict(zip(FACETS, facets, strict=True))
    persistence = min(STEPS, key=lambda step: abs(step - found["P"]))
    valence = min(max(found["valence"], -1.0), 1.0)
    inside = {name: min(max(value, 0.0), 1.0) for name, value in found.items()}
    return inside | {"P": persistence, "valence": valence}


@functools.cache
def load_network() -> Network:
    """Read the committed weights, once per process."""
    file = resources.files("reader.weights").joinpath("statement.safetensors")
    return Network(load(file.read_bytes()))
