"""Trains the head on the committed examples: `python -m assessor.local.train`.

Writes head.npz beside itself and prints how well it does on the held-out examples. The same
examples give the same file. scikit-learn is needed here only.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from assessor.local.features import HASHED_DIMENSIONS, feature_matrix
from assessor.local.head import (
    EMBEDDING_DIMENSIONS,
    HEAD_FILE,
    MEMORY_TYPES,
    Array,
    Head,
    load_head,
    scaled,
)
from assessor.local.judgement import Embed, judge
from assessor.local.restatement import judged_text
from memory.embeddings.minilm import MiniLMEmbedder

FOLDER = Path(__file__).parent
BANDS = ((0.9, "critical"), (0.7, "high"), (0.5, "medium"), (0.3, "low"), (0.0, "minimal"))

# Chosen by five-fold cross-validation on the training examples.
LEVEL_FREEDOM = 1.0
TYPE_FREEDOM = 1.0

# Importance is learnt as one of eight levels, separated by these borders.
LEVEL_BORDERS = (0.15, 0.35, 0.55, 0.65, 0.73, 0.79, 0.87)


@dataclass(frozen=True)
class Example:
    """One labelled exchange."""

    text: str
    memory_type: str
    importance: float
    lang: str
    split: str
    reply: str = ""


def load_examples() -> list[Example]:
    """Read examples_*.jsonl, in the order of file names and lines."""
    return [
        Example(**json.loads(line))
        for path in sorted(FOLDER.glob("examples_*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]


def band(importance: float) -> str:
    """Return the band of seed 001's guidelines; gaps (.8 to .9) belong to the lower band."""
    return next(name for floor, name in BANDS if importance >= floor)


def fit(examples: list[Example], *, embed: Embed) -> Head:
    """Train a head on the examples and return it."""
    texts = [judged_text(example.text, example.reply)[0] for example in examples]
    raw = feature_matrix(texts, embed(texts))
    surface = raw[:, EMBEDDING_DIMENSIONS:-HASHED_DIMENSIONS]
    # A feature without examples must not get a huge value when a message has it.
    mean, deviation = surface.mean(axis=0), np.maximum(surface.std(axis=0), 0.05)
    features = scaled(raw, mean, deviation)
    importance = np.array([example.importance for example in examples])
    levels = np.digitize(importance, LEVEL_BORDERS)
    types = np.array([MEMORY_TYPES.index(example.memory_type) for example in examples])
    level_layer = LogisticRegression(C=LEVEL_FREEDOM, max_iter=1000)
    type_layer = LogisticRegression(C=TYPE_FREEDOM, max_iter=1000)
    values = np.array([importance[levels == level].mean() for level in np.unique(levels)])
    # Out of fold: on examples that the layers were trained on, they look too confident.
    expected = _out_of_fold(level_layer, features, levels) @ values
    unseen = np.column_stack([expected, _out_of_fold(type_layer, features, types)])
    calibration, *_ = np.linalg.lstsq(unseen, importance, rcond=None)
    level_layer.fit(features, levels)
    type_layer.fit(features, types)
    return Head(
        surface_mean=mean,
        surface_deviation=deviation,
        level_weights=level_layer.coef_.T.astype(np.float32),
        level_bias=level_layer.intercept_.astype(np.float32),
        level_values=values.astype(np.float32),
        calibration=calibration.astype(np.float32),
        type_weights=type_layer.coef_.T.astype(np.float32),
        type_bias=type_layer.intercept_.astype(np.float32),
    )


def _out_of_fold(layer: LogisticRegression, features: Array, classes: Array) -> Array:
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    probabilities: Array = cross_val_predict(
        layer, features, classes, cv=folds, method="predict_proba"
    )
    return probabilities


def save(head: Head, path: Path) -> None:
    """Write the arrays by name, without pickle."""
    arrays = {field.name: getattr(head, field.name) for field in fields(head)}
    np.savez(path, allow_pickle=False, **arrays)


def report(examples: list[Example], *, embed: Embed) -> str:
    """Assess the examples as the pipeline does; return the errors against their labels as text."""
    judged = [judge(e.text, e.reply, embed=embed) for e in examples]
    errors = np.array(
        [abs(j.importance - e.importance) for j, e in zip(judged, examples, strict=True)]
    )
    right = np.array(
        [j.memory_type == e.memory_type for j, e in zip(judged, examples, strict=True)]
    )
    sure = np.array([j.confidence for j in judged])
    lines = []
    for name in ("all", "en", "zh"):
        rows = np.array([name in ("all", e.lang) for e in examples])
        lines.append(
            f"{name:>4} n={rows.sum()} importance MAE {errors[rows].mean():.3f}, "
            f"type accuracy {right[rows].mean():.3f}"
        )
    for name, rows in (("surer", sure >= np.median(sure)), ("less", sure < np.median(sure))):
        lines.append(
            f"{name:>5} half: MAE {errors[rows].mean():.3f}, accuracy {right[rows].mean():.3f}"
        )
    pairs = [(e.memory_type, j.memory_type) for j, e in zip(judged, examples, strict=True)]
    lines.append(confusion(list(MEMORY_TYPES), pairs))
    pairs = [
        (band(e.importance), band(j.importance)) for j, e in zip(judged, examples, strict=True)
    ]
    lines.append(confusion([name for _, name in BANDS], pairs))
    return "\n".join(lines)


def confusion(labels: list[str], pairs: list[tuple[str, str]]) -> str:
    """Return a table of (true, predicted) counts, with a row for each true label."""
    rows = [" " * 12 + "".join(f"{label[:8]:>9}" for label in labels)]
    for true in labels:
        counts = [sum(pair == (true, judged) for pair in pairs) for judged in labels]
        rows.append(f"{true:>12}" + "".join(f"{count:>9}" for count in counts))
    return "\n".join(rows)


def main() -> None:
    """Train, write head.npz and print the held-out report."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(tempfile.gettempdir(), "ebb-train")
    parser.add_argument("--cache-dir", type=Path, default=default, help="where MiniLM's graph is")
    embedder = MiniLMEmbedder(cache_dir=parser.parse_args().cache_dir)
    examples = load_examples()
    head = fit([e for e in examples if e.split == "train"], embed=embedder.embed)
    save(head, FOLDER / HEAD_FILE)
    load_head.cache_clear()
    held_out = [e for e in examples if e.split == "held_out"]
    sys.stdout.write(report(held_out, embed=embedder.embed) + "\n")


if __name__ == "__main__":
    main()
