"""Measures how well recall finds the evidence: `python -m benchmarks.recall_quality FILE…`.

Each statement of a set becomes one memory through the batch service. Recall's own statement answers
each question with known evidence. The baselines rank the same texts. recall_sets.py describes the
file formats; our own small sets are measured as well.

    R@k     the share of a question's evidence among the first k, over all questions
    MRR@10  one over the rank of the first evidence, 0 beyond the tenth
    ±       half the width of the 95 % confidence interval, by resampling the questions

docs/benchmarks.md has the figures.
"""

import argparse
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import harness
from benchmarks.recall_baselines import Scores, baselines
from benchmarks.recall_sets import OWN_SETS, Question, RecallSet, Talk, read
from memory.formulas.retrieval import recall_at, reciprocal_rank

CUTS, DEPTH = (5, 10), 10
LABELS = [*(f"R@{cut}" for cut in CUTS), f"MRR@{DEPTH}"]
OURS = "Ebb, hybrid"
RESAMPLES = 2000
MANY = 50

Figures = npt.NDArray[np.float64]
"""R@5, R@10 and MRR@10 of each question."""


class Bench:
    """One talk in a space of its own, with each way to rank it."""

    def __init__(self, talk: Talk, language: str, number: int, now: datetime) -> None:
        self.talk, self.language, self.now = talk, language, now
        self.space = _space(f"quality-{number}", language)
        self.places = _remember(self.space, talk, now)
        self.asked = _embedded(self.space, [one.text for one in talk.questions])

    def figures(self) -> dict[str, Figures]:
        """Return the figures of Ebb and of each baseline."""
        known = self._known()
        others = baselines(self.talk, self.language, self.asked, known)
        return {name: self._by(scores) for name, scores in others.items()} | {OURS: self._ebb()}

    def _ebb(self) -> Figures:
        from memory.recall.recall import SearchRequest, recall

        answers = []
        for asked in self.talk.questions:
            request = SearchRequest(asked.text, profile="hybrid", limit=DEPTH)
            found = recall(self.space, request, now=self.now)
            answers.append(_figures(asked, [self.places[pk] for pk in found.memory_ids]))
        return np.array(answers)

    def _by(self, scores: Scores) -> Figures:
        # Equal scores in random order: otherwise the order of the file would decide.
        ties = np.random.default_rng(7).random(scores.shape[1]) * 1e-9
        best = np.argsort(-(scores + ties), axis=1)[:, :DEPTH]
        pairs = zip(self.talk.questions, best.tolist(), strict=True)
        return np.array([_figures(asked, ranked) for asked, ranked in pairs])

    def _known(self) -> npt.NDArray[np.float32]:
        from memory.models import MemoryEmbedding

        rows = MemoryEmbedding.objects.in_space(self.space).values_list("memory_id", "vector")
        vectors = np.zeros((len(self.places), self.asked.shape[1]), dtype=np.float32)
        for memory_id, vector in rows:
            vectors[self.places[memory_id]] = vector
        return vectors


def _figures(asked: Question, ranked: Sequence[int]) -> list[float]:
    recalls = [recall_at(cut, asked.evidence, ranked) for cut in CUTS]
    return [*recalls, reciprocal_rank(asked.evidence, ranked, depth=DEPTH)]


def _space(slug: str, language: str) -> Any:
    from foundation.actors import SYSTEM
    from memory.embeddings.embedders import configured_embedder
    from memory.spaces.services import create_space

    embedder = configured_embedder()
    return create_space(slug=slug, name=slug, embedder=embedder, actor=SYSTEM, language=language)


def _remember(space: Any, talk: Talk, now: datetime) -> dict[Any, int]:
    """Save each statement, up to a thousand in one call as by the API; return their positions by
    memory id."""
    from foundation.actors import SYSTEM
    from memory.drafts import MemoryDraft, Source
    from memory.store.services import create_memories

    drafts = [
        MemoryDraft(
            content=one.text,
            created_at=one.said_at,
            source=Source(speaker=one.speaker, conversation_id=one.conversation, role=one.role),
        )
        for one in talk.statements
    ]
    places: dict[Any, int] = {}
    for start in range(0, len(drafts), 1000):
        part = drafts[start : start + 1000]
        stored = create_memories(space=space, drafts=part, actor=SYSTEM, now=now)
        places |= {memory.pk: start + n for n, memory in enumerate(stored)}
    return places


def _embedded(space: Any, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    from memory.embeddings.vectors import embed

    return embed(space.embedder, texts, kind="query")


def measure(sets: Sequence[RecallSet]) -> None:
    """Print the tables of each set, save the results and write the documentation page."""
    from django.utils import timezone

    report, tables, number = harness.Report("recall_quality"), {}, 0
    for one in sets:
        benches = []
        for talk in one.talks:
            benches.append(Bench(talk, one.language, number := number + 1, timezone.now()))
        harness.vacuum()
        found = [bench.figures() for bench in benches]
        figures = {name: np.concatenate([each[name] for each in found]) for name in found[0]}
        tables[one.name] = [_row(name, rows) for name, rows in figures.items()]
        report.add(f"{one.name}: {len(figures[OURS])} questions", tables[one.name])
        report.add(f"{one.name}, {OURS}, by category", _by_category(one, figures[OURS]))
    report.save(sets=[one.name for one in sets])
    _print_tables(tables)


def _by_category(one: RecallSet, figures: Figures) -> list[dict[str, str]]:
    categories = np.array([asked.category for talk in one.talks for asked in talk.questions])
    return [_row(str(name), figures[categories == name]) for name in np.unique(categories)]


def _row(name: str, figures: Figures) -> dict[str, str]:
    """Return a row of the table: means and half the widths of their confidence intervals."""
    chance = np.random.default_rng(7)  # the same on every run
    drawn = chance.integers(len(figures), size=(RESAMPLES, len(figures)))
    low, high = np.percentile(figures[drawn].mean(axis=1), [2.5, 97.5], axis=0)
    cells = zip(LABELS, figures.mean(axis=0), (high - low) / 2, strict=True)
    return {"what": name, "n": str(len(figures))} | {
        label: f"{mean:.3f} ± {half:.3f}" for label, mean, half in cells
    }


def _print_tables(tables: Mapping[str, Sequence[dict[str, str]]]) -> None:
    """Print a table for each figure but R@5: one row for a set, one column for a way to rank.

    MRR only of sets with MANY questions, because in others chance decides.
    """
    parts = [f"### {label}\n\n{harness.table(_by_set(tables, label))}" for label in LABELS[1:]]
    print("\n\n".join(parts))


def _by_set(tables: Mapping[str, Sequence[dict[str, str]]], label: str) -> Sequence[harness.Row]:
    return [
        {"set": name, "questions": rows[0]["n"]} | {row["what"]: row[label] for row in rows}
        for name, rows in tables.items()
        if int(rows[0]["n"]) >= MANY or label != LABELS[-1]
    ]


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Evidence recall on sets of questions")
    parser.add_argument("data", type=Path, nargs="*", help="files of further sets")
    options = parser.parse_args()
    with harness.own_ebb():
        measure([read(path) for path in [*options.data, *sorted(OWN_SETS.glob("*.json"))]])


if __name__ == "__main__":
    main()
