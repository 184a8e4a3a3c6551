"""Trains the heads of the facets: `python -m assessor.local.train_facets`.

Writes facets.npz beside itself and prints how well the heads do: by cross-validation on the
training examples, and on facets_held_out.toml. The same examples give the same file. scikit-learn
is needed here only.
"""

import argparse
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import DBSCAN
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from assessor.local.assessing import Embed
from assessor.local.facets import FACETS_FILE, LAYERS, STEPS, FacetHeads, facet_features, scaled
from assessor.local.features import CJK, HASHED_DIMENSIONS
from assessor.local.head import EMBEDDING_DIMENSIONS, Array
from assessor.local.restatement import assessed_text, in_own_words
from assessor.local.train import FOLDER, load_examples, save
from memory.embeddings.minilm import MiniLMEmbedder

VARIANTS = 4
"""Examples made of one text with a {slot}."""
PARAPHRASE = 0.8
"""Texts from this cosine similarity on are in one fold of the cross-validation."""
FREEDOM = 0.5
# Each facet but P is learnt as one of these levels.
BORDERS = {
    "valence": (-0.7, -0.2, 0.12, 0.5, 0.7),
    "intensity": (0.15, 0.35, 0.55, 0.75),
    "I": (0.2, 0.42, 0.55),
    "J": (0.15, 0.35, 0.55, 0.68, 0.78),
}


@dataclass(frozen=True)
class Labelled:
    """A text with its facets, NaN where a facet is not labelled. `template` is its text with slots,
    so that the variants of one text stay together.
    """

    text: str
    template: str
    facets: dict[str, float]

    @property
    def lang(self) -> str:
        """The language of the text: "en" or "zh"."""
        return "zh" if CJK.search(self.text) else "en"


def load_labelled() -> list[Labelled]:
    """Return the training examples: facets_*.toml, and P and J of examples_*.jsonl."""
    found = [
        one
        for lang in ("en", "zh")
        for one in _filled(tomllib.loads((FOLDER / f"facets_{lang}.toml").read_text("utf-8")))
    ]
    for example in load_examples():
        text = assessed_text(example.text, example.reply)[0]
        given = {"P": example.P, "J": example.importance}
        facets = dict.fromkeys(LAYERS, np.nan) | {k: v for k, v in given.items() if v is not None}
        found.append(Labelled(text, text, facets))
    return found


def load_held_out() -> list[Labelled]:
    """Return the examples that nothing is trained on."""
    return list(_filled(tomllib.loads((FOLDER / "facets_held_out.toml").read_text("utf-8"))))


def _filled(document: dict[str, Any]) -> Iterator[Labelled]:
    """Yield each text with values in its slots, other values for each text."""
    slots: dict[str, list[str]] = document.get("slots", {})
    number = 0
    for kind in document["kind"]:
        facets = {name: float(kind[name]) for name in LAYERS}
        for template in kind["texts"]:
            for _ in range(VARIANTS if "{" in template else 1):
                number += 1
                values = {name: words[number % len(words)] for name, words in slots.items()}
                text = template.format(**values)
                text = text[0].upper() + text[1:]
                # Tools speak of the user; the assessor reads their words in the first person.
                for said in dict.fromkeys([text, in_own_words(text)]):
                    yield Labelled(said, template, facets)


def groups_of(examples: list[Labelled], vectors: Array) -> npt.NDArray[np.intp]:
    """Return the group of each example, (n,): variants of one text and near paraphrases share one,
    so that none is tested on another.
    """
    numbers = {
        template: i for i, template in enumerate(dict.fromkeys(e.template for e in examples))
    }
    mine = np.array([numbers[e.template] for e in examples])
    first = np.unique(mine, return_index=True)[1]
    # MiniLM hardly tells Chinese sentences apart: there only variants share a group.
    english = np.array([examples[i].lang == "en" for i in first])
    alike = np.outer(english, english) | np.eye(len(first), dtype=bool)
    distances = np.where(alike, 1 - np.clip(vectors[first] @ vectors[first].T, 0, 1), 1)
    groups = DBSCAN(eps=1 - PARAPHRASE, min_samples=1, metric="precomputed").fit_predict(distances)
    return np.asarray(groups[mine], dtype=np.intp)


def levels_of(name: str, values: Array) -> npt.NDArray[np.intp]:
    """Return the level of each value, (n,)."""
    if name == "P":
        return np.array([STEPS.index(value) for value in values], dtype=np.intp)
    return np.digitize(values, BORDERS[name])


def _layer(name: str) -> LogisticRegression:
    return LogisticRegression(
        C=FREEDOM, max_iter=2000, class_weight="balanced" if name == "P" else None
    )


def fit(examples: list[Labelled], vectors: Array) -> FacetHeads:
    """Train the heads on the examples, with their MiniLM vectors (n, 384), and return them."""
    raw = facet_features([e.text for e in examples], vectors)
    counted = raw[:, EMBEDDING_DIMENSIONS:-HASHED_DIMENSIONS]
    mean, deviation = counted.mean(axis=0), np.maximum(counted.std(axis=0), 0.05)
    features = scaled(raw, mean, deviation)
    layers, values = [], []
    for name in LAYERS:
        truth = np.array([e.facets[name] for e in examples])
        rows = ~np.isnan(truth)
        levels = levels_of(name, truth[rows])
        layers.append(_layer(name).fit(features[rows], levels))
        values.append([truth[rows][levels == level].mean() for level in np.unique(levels)])
    return FacetHeads(
        counted_mean=mean,
        counted_deviation=deviation,
        weights=np.hstack([layer.coef_.T for layer in layers]).astype(np.float32),
        bias=np.concatenate([layer.intercept_ for layer in layers]).astype(np.float32),
        values=np.concatenate(values).astype(np.float32),
        sizes=np.array([len(part) for part in values], dtype=np.float32),
    )


def cross_validated(examples: list[Labelled], vectors: Array) -> dict[str, Array]:
    """Return each facet of each example, (n,), by heads that were not trained on its group."""
    found = {name: np.zeros(len(examples), dtype=np.float32) for name in LAYERS}
    groups = groups_of(examples, vectors)
    for seen, unseen in GroupKFold(5).split(vectors, groups=groups):
        heads = fit([examples[i] for i in seen], vectors[seen])
        facets, _ = heads.facets([examples[i].text for i in unseen], vectors[unseen])
        for name in LAYERS:
            found[name][unseen] = [getattr(one, name) for one in facets]
    return found


def report(examples: list[Labelled], found: dict[str, Array]) -> str:
    """Return each facet's correlation with the labels, and the confusion of P, as text."""
    lines = []
    for lang in ("all", "en", "zh"):
        rows = np.array([lang in ("all", e.lang) for e in examples])
        figures = []
        for name in LAYERS:
            truth = np.array([e.facets[name] for e in examples])
            known = rows & ~np.isnan(truth)
            figures.append(f"{name} {np.corrcoef(truth[known], found[name][known])[0, 1]:.3f}")
        lines.append(f"{lang:>4} n={rows.sum()} correlation: {', '.join(figures)}")
        lines.append(
            _confusion(np.array([e.facets["P"] for e in examples])[rows], found["P"][rows])
        )
    return "\n".join(lines)


def _confusion(truth: Array, found: Array) -> str:
    """Return the table of P: rows are labels, columns results; with the share found of each step
    and the share right of each result.
    """
    table = np.array(
        [[(np.isclose(truth, a) & np.isclose(found, b)).sum() for b in STEPS] for a in STEPS]
    )
    lines = ["       P " + "".join(f"{step:>7}" for step in STEPS) + "  found"]
    for step, row in zip(STEPS, table, strict=True):
        share = row[STEPS.index(step)] / row.sum()
        lines.append(f"{step:>9}" + "".join(f"{count:>7}" for count in row) + f"{share:>7.3f}")
    right = table.diagonal() / table.sum(axis=0)
    lines.append("    right" + "".join(f"{share:>7.3f}" for share in right))
    return "\n".join(lines)


def main() -> None:
    """Cross-validate, train, write facets.npz and print the reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(tempfile.gettempdir(), "ebb-train")
    parser.add_argument("--cache-dir", type=Path, default=default, help="where MiniLM's graph is")
    embedder = MiniLMEmbedder(cache_dir=parser.parse_args().cache_dir)
    embed: Embed = embedder.embed
    examples, held_out = load_labelled(), load_held_out()
    vectors = embed([e.text for e in examples])
    sys.stdout.write("cross-validation\n" + report(examples, cross_validated(examples, vectors)))
    heads = fit(examples, vectors)
    save(heads, FOLDER / FACETS_FILE)
    texts = [e.text for e in held_out]
    facets, _ = heads.facets(texts, embed(texts))
    found = {name: np.array([getattr(one, name) for one in facets]) for name in LAYERS}
    sys.stdout.write("\nheld out\n" + report(held_out, found) + "\n")


if __name__ == "__main__":
    main()
