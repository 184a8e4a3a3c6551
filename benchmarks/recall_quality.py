"""Measures how well recall finds the evidence: `python -m benchmarks.recall_quality FILE…`.

Each statement of a set becomes one memory through the batch service. Recall's own statement answers
each question with known evidence. recall_sets.py describes the file formats; our own small sets are
measured as well.

    R@k     the share of a question's evidence among the first k, over all questions
    MRR@10  one over the rank of the first evidence, 0 beyond the tenth
    ±       half the width of the 95 % confidence interval, by resampling the questions

docs/benchmarks.md has the figures.
"""

import argparse
from collections.abc import Sequence
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import harness
from benchmarks.recall_sets import OWN_SETS, Question, RecallSet, Talk, read
from memory.formulas.retrieval import recall_at, reciprocal_rank

CUTS, DEPTH = (5, 10), 10
LABELS = [*(f"R@{cut}" for cut in CUTS), f"MRR@{DEPTH}"]
RESAMPLES = 2000

Figures = npt.NDArray[np.float64]
"""R@5, R@10 and MRR@10 of each question."""


def _asked(talk: Talk, language: str, number: int, now: datetime) -> Figures:
    """Return the figures of one talk, in a space of its own."""
    from memory.recall.recall import SearchRequest, recall

    space = _space(f"quality-{number}", language)
    places, answers = _remember(space, talk, now), []
    for asked in talk.questions:
        request = SearchRequest(asked.text, profile="hybrid", limit=DEPTH)
        found = recall(space, request, now=now)
        answers.append(_figures(asked, [places[pk] for pk in found.memory_ids]))
    return np.array(answers)


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


def measure(sets: Sequence[RecallSet]) -> None:
    """Print a table for each set, and save the results."""
    from django.utils import timezone

    report, now, number = harness.Report("recall_quality"), timezone.now(), count(1)
    for one in sets:
        found = [_asked(talk, one.language, next(number), now) for talk in one.talks]
        figures = np.concatenate(found)
        categories = np.array([asked.category for talk in one.talks for asked in talk.questions])
        parts = [_row(str(name), figures[categories == name]) for name in np.unique(categories)]
        report.add(f"{one.name}: {len(figures)} questions", [_row("all", figures), *parts])
    report.save(sets=[one.name for one in sets])


def _row(name: str, figures: Figures) -> dict[str, str]:
    """Return a row of the table: means and half the widths of their confidence intervals."""
    chance = np.random.default_rng(7)  # the same on every run
    drawn = chance.integers(len(figures), size=(RESAMPLES, len(figures)))
    low, high = np.percentile(figures[drawn].mean(axis=1), [2.5, 97.5], axis=0)
    cells = zip(LABELS, figures.mean(axis=0), (high - low) / 2, strict=True)
    return {"category": name, "n": str(len(figures))} | {
        label: f"{mean:.3f} ± {half:.3f}" for label, mean, half in cells
    }


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Evidence recall on sets of questions")
    parser.add_argument("data", type=Path, nargs="*", help="files of further sets")
    options = parser.parse_args()
    with harness.own_ebb():
        measure([read(path) for path in [*options.data, *sorted(OWN_SETS.glob("*.json"))]])


if __name__ == "__main__":
    main()
