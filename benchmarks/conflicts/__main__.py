"""Trains the model of changes: `python -m benchmarks.conflicts`.

Writes memory/reconciliation/changes/weights.npz, and prints how many conflicts are found by the
rule, by the model, and by both, in folds that share no topic with the training pairs. The same
pairs give the same file. scikit-learn is needed here only.

The pairs were written for this project. In each paragraph of `pairs/` the first line is known; a
line with `+` makes it outdated, a line with `-` does not. The pairs of the rule's own tests are
added, except those that only measure it.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from benchmarks import harness
from memory.reconciliation import changes
from memory.reconciliation.changes.features import Array, may_tell_change, pair_features
from memory.reconciliation.changes.model import SIGNS_SCALE, WEIGHTS_FILE, Weights
from memory.text.lexemes import unspaced

FOLDER = Path(__file__).parent / "pairs"
RULES = Path(__file__).parents[2] / "tests" / "memory" / "reconciliation" / "pairs"
FREEDOM = 0.2
WRONG = (0.01, 0.01)
"""Share of near misses, in English and in Chinese, that the model may take for changes."""


class Pair(NamedTuple):
    """Two statements, whether the second makes the first outdated, and their topic."""

    old: str
    new: str
    outdated: bool
    topic: str

    @property
    def language(self) -> int:
        return int(bool(unspaced(self.old + self.new)))


def own_pairs() -> Iterator[Pair]:
    """Yield the pairs of the paragraphs. Both languages have the same topics, in this order."""
    for file in ("english", "chinese"):
        text = (FOLDER / f"{file}.txt").read_text("utf-8")
        for number, paragraph in enumerate(text.strip().split("\n\n")):
            old, *lines = paragraph.splitlines()
            for line in lines:
                yield Pair(old, line[2:], line[0] == "+", f"own {number}")


def rule_pairs() -> Iterator[Pair]:
    """Yield the pairs that the rule was tuned to."""
    for file, outdated in (("conflicts", True), ("near_misses", False)):
        for line in (RULES / f"{file}.txt").read_text("utf-8").splitlines():
            if not line.startswith("#"):
                old, new = line.split(" | ")
                yield Pair(old, new, outdated, old)


def unrelated(pairs: list[Pair]) -> Iterator[Pair]:
    """Yield a pair of different topics for each pair."""
    order = np.random.default_rng(0)
    for language in (0, 1):
        mine = [pair for pair in pairs if pair.language == language]
        for pair, place in zip(mine, order.integers(0, len(mine), len(mine)), strict=True):
            if mine[place].topic != pair.topic:
                yield Pair(mine[place].old, pair.new, False, pair.topic)


def fit(signs: Array, rest: Array, truth: npt.NDArray[np.bool_]) -> Weights:
    """Return the weights of the model for these pairs; no language has a threshold yet."""
    mean, deviation = signs.mean(axis=0), np.maximum(signs.std(axis=0), 0.05)
    rows = np.hstack([(signs - mean) / deviation * SIGNS_SCALE, rest])
    model = LogisticRegression(C=FREEDOM, max_iter=300).fit(rows, truth)
    weights = model.coef_[0].astype(np.float32)
    bias = model.intercept_.astype(np.float32)
    return Weights(mean, deviation, weights, bias, np.zeros(2, dtype=np.float32))


def out_of_fold(signs: Array, rest: Array, pairs: list[Pair]) -> Array:
    """Return the log-odds of each pair, (n,), from a model that was not trained on its topic."""
    truth = np.array([pair.outdated for pair in pairs])
    odds = np.zeros(len(pairs), dtype=np.float32)
    topics = [pair.topic for pair in pairs]
    for seen, unseen in GroupKFold(5).split(rest, groups=topics):
        model = fit(signs[seen], rest[seen], truth[seen])
        for row in unseen:
            told = may_tell_change(pairs[row].old, pairs[row].new)
            odds[row] = model.odds(signs[row], rest[row]) if told else -np.inf
    return odds


def thresholds(pairs: list[Pair], odds: Array) -> Array:
    """Return, for each language, the log-odds (2,) that the share WRONG of the near misses
    exceeds.
    """
    return np.array(
        [
            np.quantile(
                [
                    odd
                    for pair, odd in zip(pairs, odds, strict=True)
                    if pair.language == language and not pair.outdated
                ],
                1 - wrong,
                method="higher",
            )
            for language, wrong in enumerate(WRONG)
        ],
        dtype=np.float32,
    )


def report(pairs: list[Pair], odds: Array, least: Array) -> str:
    """Return the shares that the rule, the model and both find, as text."""
    from memory.reconciliation.claims import contradicts

    lines = []
    for language, name in enumerate(("English", "Chinese")):
        for outdated, what in ((True, "conflicts"), (False, "near misses")):
            rows = [
                row
                for row, pair in enumerate(pairs)
                if (pair.language, pair.outdated) == (language, outdated)
            ]
            rule = np.array([contradicts(pairs[row].new, pairs[row].old) for row in rows])
            model = odds[rows] > least[language]
            shares = [f"{found.mean():.1%}" for found in (rule, model, rule | model)]
            lines.append(f"{name}, {len(rows)} {what}: rule, model, both: {', '.join(shares)}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Cross-validate, choose the thresholds, train, write the weights and print the report."""
    own = list(own_pairs())
    pairs = [*own, *unrelated(own), *rule_pairs()]
    features = [pair_features(pair.old, pair.new) for pair in pairs]
    signs, rest = (np.array(block) for block in zip(*features, strict=True))
    odds = out_of_fold(signs, rest, pairs)
    own_odds = odds[: len(own)]
    least = thresholds(own, own_odds)
    sys.stdout.write(report(own, own_odds, least))
    weights = fit(signs, rest, np.array([pair.outdated for pair in pairs]))
    file = Path(changes.__path__[0], WEIGHTS_FILE)
    np.savez_compressed(file, **{**vars(weights), "least": least})


if __name__ == "__main__":
    with harness.own_ebb():
        main()
