"""Trains the head on the committed examples and conversations: `python -m assessor.local.train`.

Writes head.npz beside itself and prints how well it does on the held-out examples, and by
cross-validation over the conversations. The same examples give the same file. scikit-learn is
needed here only.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from assessor.local.assessing import Embed, assess
from assessor.local.context import FEATURES, context_features, in_context, log_odds
from assessor.local.facets import FacetHeads
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
from assessor.local.restatement import assessed_text
from assessor.local.talks import TalkTurn, load_talks
from memory.embeddings.minilm import MiniLMEmbedder

Importances = npt.NDArray[np.float64]

FOLDER = Path(__file__).parent
BANDS = ((0.9, "critical"), (0.7, "high"), (0.5, "medium"), (0.3, "low"), (0.0, "minimal"))

# Chosen by five-fold cross-validation on the training examples.
LEVEL_FREEDOM = 0.5
TYPE_FREEDOM = 1.0

FOLDS = 5
# A turn labelled at least this much is worth remembering.
WORTH = 0.5

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
    # Persistence, seed 003; None where it is unclear.
    P: float | None = None


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


@dataclass(frozen=True)
class _Table:
    """The features and labels of n texts. Texts of one group are never in different folds."""

    features: Array
    surface_mean: Array
    surface_deviation: Array
    importance: Importances
    levels: npt.NDArray[np.intp]
    types: npt.NDArray[np.intp]
    groups: list[str]
    # The first rows, the exchanges. The types are learnt from these only: in a conversation most
    # turns are small talk, and a reminder in the form of a question would count as one.
    exchanges: int

    @property
    def level_values(self) -> Array:
        """The mean importance of each level."""
        values = [self.importance[self.levels == level].mean() for level in np.unique(self.levels)]
        return np.array(values, dtype=np.float32)


@dataclass(frozen=True)
class _Layers:
    """The two layers, fitted to some of the rows of a table."""

    levels: LogisticRegression
    types: LogisticRegression


def fit(
    examples: list[Example], talks: list[TalkTurn], *, embed: Embed
) -> tuple[Head, Importances]:
    """Train a head on the examples and the conversations. Return it, and the importance that each
    turn's text got from a head that was trained without its conversation.
    """
    table = _table(examples, talks, embed=embed)
    folds = list(GroupKFold(FOLDS).split(table.features, groups=table.groups))
    layers = [_layers(table, known) for known, _ in folds]
    # Out of fold: on examples that the layers were trained on, they look too confident.
    unseen = np.zeros((len(table.levels), 1 + len(MEMORY_TYPES)))
    for (_, mine), fitted in zip(folds, layers, strict=True):
        features = table.features[mine]
        unseen[mine, 0] = fitted.levels.predict_proba(features) @ table.level_values
        unseen[mine, 1:] = fitted.types.predict_proba(features)
    calibration, *_ = np.linalg.lstsq(unseen, table.importance, rcond=None)
    alone = np.zeros(len(talks))
    for (_, mine), fitted in zip(folds, layers, strict=True):
        head = _head(table, fitted, calibration)
        for place in mine[mine >= len(examples)] - len(examples):
            turn = talks[place]
            alone[place] = assess(turn.text, turn.reply, embed=embed, head=head).importance
    head = _head(table, _layers(table, np.arange(len(table.levels))), calibration)
    return replace(head, context_weights=_context_weights(talks, alone)), alone


def _table(examples: list[Example], talks: list[TalkTurn], *, embed: Embed) -> _Table:
    both: list[Example | TalkTurn] = [*examples, *talks]
    texts = [assessed_text(one.text, one.reply)[0] for one in both]
    raw = feature_matrix(texts, embed(texts))
    surface = raw[:, EMBEDDING_DIMENSIONS:-HASHED_DIMENSIONS]
    # A feature without examples must not get a huge value when a message has it.
    mean, deviation = surface.mean(axis=0), np.maximum(surface.std(axis=0), 0.05)
    importance = np.array([one.importance for one in both])
    types = [MEMORY_TYPES.index(one.memory_type) for one in both]
    return _Table(
        features=scaled(raw, mean, deviation),
        surface_mean=mean,
        surface_deviation=deviation,
        importance=importance,
        levels=np.digitize(importance, LEVEL_BORDERS),
        types=np.array(types),
        groups=[*texts[: len(examples)], *(turn.conversation for turn in talks)],
        exchanges=len(examples),
    )


def _layers(table: _Table, rows: npt.NDArray[np.intp]) -> _Layers:
    levels = LogisticRegression(C=LEVEL_FREEDOM, max_iter=1000)
    types = LogisticRegression(C=TYPE_FREEDOM, max_iter=1000)
    levels.fit(table.features[rows], table.levels[rows])
    rows = rows[rows < table.exchanges]
    types.fit(table.features[rows], table.types[rows])
    return _Layers(levels, types)


def _head(table: _Table, layers: _Layers, calibration: Array) -> Head:
    """Return the head of these layers, which ignores the context."""
    return Head(
        surface_mean=table.surface_mean,
        surface_deviation=table.surface_deviation,
        level_weights=layers.levels.coef_.T.astype(np.float32),
        level_bias=layers.levels.intercept_.astype(np.float32),
        level_values=table.level_values,
        calibration=calibration.astype(np.float32),
        type_weights=layers.types.coef_.T.astype(np.float32),
        type_bias=layers.types.intercept_.astype(np.float32),
        context_weights=np.zeros(len(FEATURES), dtype=np.float32),
    )


def _context_weights(talks: list[TalkTurn], alone: Importances) -> Array:
    """Return the weights by which the context's features correct the text's importance."""
    rest = [log_odds(t.importance) - log_odds(i) for t, i in zip(talks, alone, strict=True)]
    features = [[1.0, *context_features(t.text, t.reply, t.earlier)] for t in talks]
    weights, *_ = np.linalg.lstsq(np.array(features), np.array(rest), rcond=None)
    # Without the constant: a message without a context keeps the importance of its text.
    return np.asarray(weights[1:], dtype=np.float32)


def save(head: Head | FacetHeads, path: Path) -> None:
    """Write the arrays by name, without pickle."""
    arrays = {field.name: getattr(head, field.name) for field in fields(head)}
    np.savez(path, allow_pickle=False, **arrays)


def report(examples: list[Example], *, embed: Embed) -> str:
    """Assess the examples as the pipeline does; return the errors against their labels as text."""
    assessed = [assess(e.text, e.reply, embed=embed) for e in examples]
    errors = np.array(
        [abs(j.importance - e.importance) for j, e in zip(assessed, examples, strict=True)]
    )
    right = np.array(
        [j.memory_type == e.memory_type for j, e in zip(assessed, examples, strict=True)]
    )
    sure = np.array([j.confidence for j in assessed])
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
    pairs = [(e.memory_type, j.memory_type) for j, e in zip(assessed, examples, strict=True)]
    lines.append(confusion(list(MEMORY_TYPES), pairs))
    pairs = [
        (band(e.importance), band(j.importance)) for j, e in zip(assessed, examples, strict=True)
    ]
    lines.append(confusion([name for _, name in BANDS], pairs))
    return "\n".join(lines)


def report_talks(talks: list[TalkTurn], head: Head, alone: Importances) -> str:
    """Compare out-of-fold importances with the labels; "kept" means at least WORTH."""
    found = np.array(
        [
            in_context(i, context_features(t.text, t.reply, t.earlier), head.context_weights)
            for t, i in zip(talks, alone, strict=True)
        ]
    )
    labels = np.array([turn.importance for turn in talks])
    kept = labels >= WORTH
    length = [len(turn.text) for turn in talks]
    lines = [
        f"{len(talks)} turns of {len({t.conversation for t in talks})} conversations: AUC "
        f"{roc_auc_score(kept, found):.3f}, without context {roc_auc_score(kept, alone):.3f}, "
        f"length {roc_auc_score(kept, length):.3f}; mean error {np.abs(found - labels).mean():.3f}"
    ]
    lines += [f"context weights {dict(zip(FEATURES, head.context_weights.round(2), strict=True))}"]
    for low in np.arange(0, 1, 0.2):
        rows = (found >= low) & (found < low + 0.2)
        if rows.any():
            said = f"{labels[rows].mean():.2f} labelled, {kept[rows].mean():.0%} kept"
            lines.append(f"found {low:.1f} to {low + 0.2:.1f}: {rows.sum():>4} turns, {said}")
    names = {True: "keep", False: "leave"}
    pairs = [(names[bool(a)], names[bool(b >= WORTH)]) for a, b in zip(kept, found, strict=True)]
    return "\n".join([*lines, confusion(list(names.values()), pairs)])


def confusion(labels: list[str], pairs: list[tuple[str, str]]) -> str:
    """Return a table of (true, predicted) counts, with a row for each true label."""
    rows = [" " * 12 + "".join(f"{label[:8]:>9}" for label in labels)]
    for true in labels:
        counts = [sum(pair == (true, assessed) for pair in pairs) for assessed in labels]
        rows.append(f"{true:>12}" + "".join(f"{count:>9}" for count in counts))
    return "\n".join(rows)


def main() -> None:
    """Train, write head.npz and print the held-out report."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(tempfile.gettempdir(), "ebb-train")
    parser.add_argument("--cache-dir", type=Path, default=default, help="where MiniLM's graph is")
    embed = _remembering(MiniLMEmbedder(cache_dir=parser.parse_args().cache_dir).embed)
    examples, talks = load_examples(), load_talks()
    train = [e for e in examples if e.split == "train"]
    head, alone = fit(train, talks, embed=embed)
    save(head, FOLDER / HEAD_FILE)
    load_head.cache_clear()
    held_out = [e for e in examples if e.split == "held_out"]
    sys.stdout.write(report(held_out, embed=embed) + "\n\n")
    sys.stdout.write(report_talks(talks, head, alone) + "\n")


def _remembering(embed: Embed) -> Embed:
    """Return the same function, which embeds each text once."""
    known: dict[str, Array] = {}

    def remembered(texts: Sequence[str]) -> Array:
        if missing := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(missing, embed(missing), strict=True))
        return np.array([known[text] for text in texts])

    return remembered


if __name__ == "__main__":
    main()
