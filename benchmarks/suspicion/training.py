"""Fits the classifier, writes its weights, and prints how much it finds."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from assessor.screening import suspicion
from assessor.screening.disguises import undisguised
from assessor.screening.suspicion_features import COLUMNS, Window, whole, windows
from benchmarks.suspicion.examples import (
    Example,
    innocent_examples,
    own_examples,
    trained_corpora,
    unseen_corpora,
)

Vector = npt.NDArray[np.float64]

FREEDOM = 0.3
FOLDS = 5
# The vector's length, beside signs that count 1 each.
VECTOR_SCALE = 2.0
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Rows:
    """The windows of the examples, as features. `of` is the number of each window's example."""

    def __init__(self, examples: Sequence[Example]) -> None:
        cut = [_cut(one) for one in examples]
        counts = [len(each) for each in cut]
        self.examples = examples
        self.of = np.repeat(np.arange(len(examples)), counts)
        every = [window for each in cut for window in each]
        rows = [one for one, count in zip(examples, counts, strict=True) for _ in range(count)]
        own = np.array([one.own for one in rows])
        vectors = _embedded([window.text for window in every]) * VECTOR_SCALE
        dense = np.hstack([vectors, vectors * ~own[:, None]])
        self.features = hstack([_sparse(every, own), csr_matrix(dense)]).tocsr()
        self.labels = np.array([one.attack for one in rows])
        self.weights = np.array([one.weight for one in rows]) / np.repeat(counts, counts)
        self.groups = [one.group for one in rows]

    def worst(self, odds: Vector) -> Vector:
        """Return the probability of the most suspicious window of each example."""
        found = np.full(len(self.examples), -np.inf)
        np.maximum.at(found, self.of, odds)
        return np.asarray(1 / (1 + np.exp(-found)))


def _cut(example: Example) -> list[Window]:
    text = undisguised(example.text)
    return [whole(text)] if example.turns else windows(text) or [whole(text)]


def _embedded(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return the vectors of the texts; each text is embedded once."""
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    vectors = suspicion.embed_windows(list(places))
    return np.asarray(vectors[[places[text] for text in texts]])


def _sparse(every: Sequence[Window], own: npt.NDArray[np.bool_]) -> csr_matrix:
    found = [window.columns(own=bool(mine)) for window, mine in zip(every, own, strict=True)]
    starts = np.cumsum([0, *(len(indices) for indices, _ in found)])
    indices = np.concatenate([indices for indices, _ in found])
    values = np.concatenate([values for _, values in found])
    return csr_matrix((values, indices, starts), shape=(len(every), COLUMNS))


def fit(rows: Rows, chosen: npt.NDArray[np.intp]) -> Vector:
    """Return the weights of a logistic regression on these rows, both labels counting alike."""
    labels, weights = rows.labels[chosen], rows.weights[chosen].copy()
    weights[labels] *= weights[~labels].sum() / weights[labels].sum()
    # The constant is a column, so that words of others have one of their own.
    model = LogisticRegression(C=FREEDOM, max_iter=2000, fit_intercept=False)
    model.fit(rows.features[chosen], labels, sample_weight=weights)
    return np.asarray(model.coef_[0])


def out_of_fold(rows: Rows) -> Vector:
    """Return the log-odds of each row by weights that were fitted without its group."""
    odds = np.zeros(len(rows.of))
    for known, mine in GroupKFold(FOLDS).split(rows.features, groups=rows.groups):
        odds[mine] = rows.features[mine] @ fit(rows, known)
    return odds


def report(title: str, examples: Sequence[Example], found: Vector) -> None:
    """Print the shares of attacks and innocents at each threshold, by source."""
    print(f"\n{title}: share found, by least probability {THRESHOLDS}")
    for key in sorted({(one.source, one.attack, one.own) for one in examples}):
        chosen = [(one.source, one.attack, one.own) == key for one in examples]
        shares = [float(np.mean(found[chosen] >= least)) for least in THRESHOLDS]
        kind, whose = "attacks" if key[1] else "innocents", "own" if key[2] else "others'"
        numbers = " ".join(f"{share:6.3f}" for share in shares)
        print(f"{key[0]:>16} {kind:>9} {whose:>7} n={sum(chosen):>5} {numbers}")


def said_by_people(path: Path) -> list[Example]:
    """Return the messages of people in a file of conversations, as innocent examples."""
    texts: list[str] = []

    def collect(value: object) -> None:
        if isinstance(value, dict):
            if isinstance(value.get("text"), str) and value.get("role", "user") == "user":
                texts.append(value["text"])
            value = list(value.values())
        if isinstance(value, list):
            for inner in value:
                collect(inner)

    collect(json.loads(path.read_text("utf-8")))
    return [Example(text, False, True, path.stem, "") for text in dict.fromkeys(texts)]


def train(corpora: Path, chats: Sequence[Path]) -> None:
    """Fit the weights, write them and print the figures."""
    examples = [*own_examples(), *innocent_examples(), *trained_corpora(corpora)]
    rows = Rows(examples)
    report("Cross-validated", examples, rows.worst(out_of_fold(rows)))
    weights = fit(rows, np.arange(len(rows.of))).astype(np.float32)
    vector = weights[COLUMNS:] * np.float32(VECTOR_SCALE)
    path = Path(suspicion.__file__).parent / suspicion.WEIGHTS_FILE
    np.savez(path, allow_pickle=False, sparse=weights[:COLUMNS], vector=vector)
    for title, texts in (
        ("Unseen", unseen_corpora(corpora)),
        *((path.name, said_by_people(path)) for path in chats),
    ):
        unseen = Rows(texts)
        report(title, texts, unseen.worst(unseen.features @ weights))
