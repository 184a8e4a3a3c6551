"""Trains the relevance: `python -m benchmarks.relevance [--data FILE]`.

Fits the matrix that turns remarks and writes remarks.npz. Then runs all examples through recall,
fits the weights on the training set, writes weights.npz, and prints the results on the held-out
set. Run it again whenever a signal of the ranking changes. FILE has LoCoMo's format; without it,
the weights are not trained on long conversations.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks import harness
from benchmarks.locomo_data import conversations
from benchmarks.relevance import remarks
from benchmarks.relevance.asking import (
    WITHOUT,
    Asked,
    ask_conversation,
    ask_examples,
    ask_statements,
    vector_of,
)
from benchmarks.relevance.examples import Examples, examples, with_mixed
from benchmarks.relevance.fitting import Vector, area_under_curve, fit, out_of_fold
from memory.recall.relevance import model, relevance_of
from memory.recall.relevance.utterances import chinese_share, features, is_question

UTTERANCE_PENALTY, MODEL_PENALTY = 1.0, 0.3
# The evidence of a conversation's question is the minimum that answers it; the memories around it
# often help too. So four in ten of its other results count as helpful. A passing remark asks for no
# particular memory, and a change may affect more than one.
ALSO_HELPFUL = {"question": 0.4, "passing": 0.35, "update": 0.1}
# A question whose fact is missing needs no memory either, but recalling something is not wrong.
COUNTS = {"nothing": 3.0, "absent": 0.05, "question without an answer": 0.05, "new fact": 2.0}
# The weights of `tells` separate something new from a remark that needs a memory. From small talk
# they need to separate it less.
SMALL_TALK = 0.3
THRESHOLDS = (0.05, 0.1, 0.12, 0.15, 0.2)


@dataclass(frozen=True)
class Said:
    """A text of the training set and its vector by one of the built-in models; whether it needs a
    memory, None for something new; and whether it tells something new."""

    text: str
    vector: npt.NDArray[np.float32]
    needed: bool | None
    new: bool


Odds = Mapping[tuple[str, int], float]
"""The log-odds of each text, by the text and its vector's length."""


def train(given: Sequence[Examples], asked: Sequence[Asked]) -> model.Weights:
    """Fit the utterance's weights and both models."""
    said = [one for examples_ in given for one in _said(examples_)]
    known = [(one, one.needed, 1.0) for one in said if one.needed is not None]
    told = [(one, one.new, SMALL_TALK if one.needed is False else 1.0) for one in said]
    need, needs = _fit_utterance("needs a memory", known, asked)
    new, tells = _fit_utterance("tells something new", told, asked)
    looks = [_look(one, needs, tells) for one in asked]
    return model.Weights(need, new, _fit_any(looks, asked), _fit_this(looks, asked))


def _said(given: Examples) -> list[Said]:
    texts = [(one.text, needed, False) for one, needed in given.utterances]
    told = [
        (one.text, True if one.helpful or one.asks else None, one.kind == "new fact")
        for one in given.statements
    ]
    return [
        Said(text, vector_of(text, multilingual=multilingual), needed, new)
        for text, needed, new in [*texts, *told]
        for multilingual in ((True,) if given.language == "zh" else (False, True))
    ]


def _fit_utterance(
    what: str, labelled: Sequence[tuple[Said, bool, float]], asked: Sequence[Asked]
) -> tuple[Vector, Odds]:
    """Return the weights of the utterance's features, and the log-odds of all texts. `labelled` has
    each text with its label and how often it counts."""
    said = [one for one, _, _ in labelled]
    labels = np.array([label for _, label, _ in labelled], dtype=float)
    counts = np.array([count for _, _, count in labelled])
    texts, vectors = [one.text for one in said], [one.vector for one in said]
    rows = features(texts, vectors)
    unseen = out_of_fold(rows, labels, texts, penalty=UTTERANCE_PENALTY, counts=counts)
    print(f"{what}, cross-validated: AUC {area_under_curve(unseen, labels):.3f}")
    weights = fit(rows, labels, penalty=UTTERANCE_PENALTY, counts=counts)
    # Out of fold, because the weights are too sure of texts that they were fitted on.
    keys = [(one.text, len(one.vector)) for one in said]
    return weights, odds_of(weights, asked) | dict(zip(keys, unseen.tolist(), strict=True))


def odds_of(weights: Vector, asked: Sequence[Asked]) -> dict[tuple[str, int], float]:
    """Return the log-odds of each text, by the text and its vector's length."""
    vectors = {(one.text, len(one.vector)): one.vector for one in asked}
    rows = features([text for text, _ in vectors], list(vectors.values()))
    return dict(zip(vectors, model.log_odds(rows, weights).tolist(), strict=True))


def _look(one: Asked, needs: Odds, tells: Odds) -> model.Look:
    key = one.text, len(one.vector)
    share, asks = chinese_share(one.text), is_question(one.text)
    return model.Look(needs[key], tells[key], share, one.trusted, asks=asks)


def _fit_any(looks: Sequence[model.Look], asked: Sequence[Asked]) -> Vector:
    rows = [model.any_features(look, one.signals) for look, one in zip(looks, asked, strict=True)]
    labels = np.array([one.wanted > 0 for one in asked], dtype=float)
    counts = np.array([COUNTS.get(one.kind, 1.0) for one in asked])
    return fit(np.array(rows), labels, penalty=MODEL_PENALTY, counts=counts)


def _fit_this(looks: Sequence[model.Look], asked: Sequence[Asked]) -> Vector:
    needed = [(look, one) for look, one in zip(looks, asked, strict=True) if one.wanted]
    rows = [model.this_features(look, one.signals) for look, one in needed]
    labels = [
        [1.0 if helps else ALSO_HELPFUL.get(one.kind, 0.0) for helps in one.helpful]
        for _, one in needed
    ]
    return fit(np.vstack(rows), np.concatenate(labels), penalty=MODEL_PENALTY)


def figures(asked: Sequence[Asked], threshold: float, limit: int) -> list[dict[str, str]]:
    """Return a row for each kind and size: how often nothing passes, and how many of the helpful
    memories do."""
    rows = []
    for group in sorted({(one.kind, one.size) for one in asked}):
        chosen = [one for one in asked if (one.kind, one.size) == group]
        passing = [_passing(one, threshold, limit) for one in chosen]
        found = [
            sum(each) / one.wanted for one, each in zip(chosen, passing, strict=True) if one.wanted
        ]
        silent = np.mean([not each for each in passing])
        rows.append(
            {
                "kind": group[0],
                "space": group[1],
                "n": str(len(chosen)),
                "threshold": f"{threshold:g}",
                "silent": f"{silent:.3f}",
                "found": f"{np.mean(found):.3f}" if found else "–",
            }
        )
    return rows


def _passing(one: Asked, threshold: float, limit: int) -> list[bool]:
    """Return, for each result that passes, whether it helps."""
    relevances = relevance_of(one.text, one.vector, one.signals, trusted=one.trusted)
    pairs = list(zip(relevances, one.helpful, strict=True))[:limit]
    return [helps for value, helps in pairs if value >= threshold]


def measure(data: Path | None) -> None:
    """Train the weights and print the figures of the held-out set."""
    from django.utils import timezone

    now = timezone.now()
    talks = conversations(data) if data else []
    training = [with_mixed(one) for one in examples(held_out=False)]
    held_out = examples(held_out=True)
    english = next(one for one in training if one.language == "en")
    matrix, without = remarks.train(list(remarks.remarks_of(english, now)))
    remarks.save(matrix)
    WITHOUT.update(without)
    asked = [one for given in training for one in ask_examples(given, now)]
    asked += [one for given in training for one in ask_statements(given, now)]
    for talk in talks:
        asked += ask_conversation(talk, training, now)
    weights = train(training, asked)
    path = Path(model.__file__).parent / model.WEIGHTS_FILE
    np.savez(
        path, allow_pickle=False, **{k: v.astype(np.float32) for k, v in vars(weights).items()}
    )
    model.load_weights.cache_clear()
    report = harness.Report("relevance")
    for given in held_out:
        unseen = [*ask_examples(given, now), *ask_statements(given, now)]
        for threshold in THRESHOLDS:
            title = f"Held out, {given.language}, threshold {threshold:g}"
            report.add(title, figures(unseen, threshold, limit=3))
    report.save(conversations=len(talks))


def main() -> None:
    """Train the weights from the command line."""
    parser = argparse.ArgumentParser(description="Training of the relevance of memories")
    parser.add_argument("--data", type=Path, help="conversations in LoCoMo's format")
    options = parser.parse_args()
    with harness.own_ebb():
        measure(options.data)


if __name__ == "__main__":
    main()
