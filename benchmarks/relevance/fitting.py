"""Logistic regression with numpy, and figures of how well it separates."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

STEPS = 40
FOLDS = 5


def fit(rows: Vector, labels: Vector, *, penalty: float, counts: Vector | None = None) -> Vector:
    """Return the weights of a logistic regression, the constant last, by Newton's method.

    `labels` are in 0..1; `counts` says how often each row counts. `penalty` is on the square of
    each weight except the constant.
    """
    data = np.hstack([rows, np.ones((len(rows), 1))])
    often = np.ones(len(rows)) if counts is None else counts
    penalties = np.full(data.shape[1], penalty)
    penalties[-1] = 1e-6
    weights = np.zeros(data.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(data @ weights, -30, 30)))
        slope = data.T @ (often * (chance - labels)) + penalties * weights
        curve = (data.T * (often * chance * (1 - chance) + 1e-9)) @ data + np.diag(penalties)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def out_of_fold(
    rows: Vector, labels: Vector, texts: Sequence[str], *, penalty: float, counts: Vector
) -> Vector:
    """Return the log-odds of each row by weights that were fitted without its fold. Rows of the
    same text are in the same fold. `counts` is as in `fit`."""
    names, place = np.unique(texts, return_inverse=True)
    fold = np.random.default_rng(0).integers(0, FOLDS, len(names))[place]
    odds = np.zeros(len(rows))
    for number in range(FOLDS):
        others = fold != number
        weights = fit(rows[others], labels[others], penalty=penalty, counts=counts[others])
        odds[fold == number] = rows[fold == number] @ weights[:-1] + weights[-1]
    return odds


def area_under_curve(scores: Vector, labels: Vector) -> float:
    """Return the probability that a positive row scores above a negative one."""
    positive, negative = scores[labels > 0.5], scores[labels <= 0.5]
    above = np.searchsorted(np.sort(negative), positive, side="left")
    return float(above.mean() / len(negative))
