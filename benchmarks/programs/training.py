"""Fits the gate's classifier, writes its weights, and prints how much it finds."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from assessor.gate import gate_reason, likeness, own_words
from assessor.gate.own_words import bounded, parts_of
from benchmarks.programs.collecting import Template, templates_of
from benchmarks.programs.examples import (
    Example,
    listed,
    people,
    programs,
    repositories_of,
)
from benchmarks.programs.filling import Said, filled, said_by
from benchmarks.suspicion.training import said_by_people
from reader.training.examples import rows

Vector = npt.NDArray[np.float64]

FREEDOM = 1.0
FOLDS = 5
THRESHOLDS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)


def features_of(texts: Iterable[str]) -> csr_matrix:
    """Return a row of features for each text."""
    rows = [likeness.columns(parts_of(text), bounded(text)) for text in texts]
    starts = np.cumsum([0, *(len(found) for found, _ in rows)])
    found = np.concatenate([found for found, _ in rows])
    values = np.concatenate([values for _, values in rows])
    return csr_matrix((values, found, starts), shape=(len(rows), likeness.COLUMNS))


def fit(features: csr_matrix, examples: Sequence[Example]) -> Vector:
    """Return the weights of a logistic regression, both labels counting alike."""
    labels = np.array([one.is_program for one in examples])
    weights = np.array([one.weight for one in examples])
    weights[labels] *= weights[~labels].sum() / weights[labels].sum()
    model = LogisticRegression(C=FREEDOM, max_iter=2000, fit_intercept=False)
    model.fit(features, labels, sample_weight=weights)
    return np.asarray(model.coef_[0])


def fitted(title: str, examples: Sequence[Example]) -> npt.NDArray[np.float32]:
    """Return the weights for these examples, and print their cross-validation by sources."""
    features = features_of([one.text for one in examples])
    groups = [one.source if one.is_program else one.group for one in examples]
    odds = np.zeros(len(examples))
    for known, mine in GroupKFold(FOLDS).split(features, groups=groups):
        odds[mine] = features[mine] @ fit(features[known], [examples[place] for place in known])
    print(f"\n{title}, cross-validated: share from each log-odds {THRESHOLDS}")
    for source in sorted({one.source for one in examples}):
        _report(source, odds[[one.source == source for one in examples]])
    return fit(features, examples).astype(np.float32)


def _report(source: str, odds: Vector) -> None:
    shares = " ".join(f"{float(np.mean(odds >= least)):6.3f}" for least in THRESHOLDS)
    print(f"{source:>34} n={len(odds):>5} {shares}")


def measure(repositories: Path) -> None:
    """Print how many prompts of the measured repositories teach nothing, by repository."""
    texts = [row["text"] for row in rows("importance")]
    left_out = re.compile("|".join(listed("left_out")))
    found: list[bool] = []
    for name in repositories_of("measured"):
        prompts = [
            one
            for one in templates_of(repositories / name)
            if not left_out.search(f"{one.repository}/{one.file}:{one.name}")
        ]
        here = [teaches_nothing(one, said_by(texts, number)) for number, one in enumerate(prompts)]
        for one, nothing in zip(prompts, here, strict=True):
            if not nothing:
                print(f"    {one.file}:{one.name}")
        found += here
        print(f"{name:>34} {sum(here)} of {len(here)}")
    print(f"prompts of programs that teach nothing: {sum(found)} of {len(found)}")


def teaches_nothing(template: Template, said: Said) -> bool:
    """Return whether the prompt teaches nothing, or only what the person asked."""
    text = filled(template.text, said)
    message, system = (said.document, text) if template.is_system else (text, "")
    asked = own_words(message).strip() == said.question.strip()
    return asked or gate_reason(message, system) is not None


def lost_of(texts: Iterable[str]) -> list[str]:
    """Return the messages of people that teach nothing."""
    return [text for text in texts if gate_reason(text)]


def train(corpora: Path, repositories: Path, chats: Sequence[Path]) -> None:
    """Fit the weights, write them and print the figures."""
    examples = [*programs(repositories, "trained"), *people(corpora)]
    weights = {
        name: fitted(name, [one for one in examples if one.is_system is is_system])
        for name, is_system in (("message", False), ("system", True))
    }
    path = Path(likeness.__file__).parent / likeness.WEIGHTS_FILE
    np.savez(path, allow_pickle=False, **weights)
    likeness.load_weights.cache_clear()
    measure(repositories)
    for chat in chats:
        texts = [one.text for one in said_by_people(chat)]
        print(f"{chat.name}: {len(lost_of(texts))} of {len(texts)} messages of people are lost")
