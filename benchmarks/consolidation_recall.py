"""Measures what consolidation saves and costs: `python -m benchmarks.consolidation_recall FILE…`.

Each statement of a set becomes one memory, each conversation its own space. All proposals of a run
without a model are applied as one action, and the same questions are asked before and after.
recall_sets.py describes the file formats.

    memories          active memories
    R@10              the share of a question's evidence among the first ten; a memory that replaced
                      others counts for all of its sources
    R@10 in words     the same, but a summary counts only for the sources whose sentences it has
    first 3, first 10 characters of the memories sent to a model, if so many are sent
    change            with half the width of the 95 % confidence interval, by resampling questions
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from benchmarks import harness
from benchmarks.recall_quality import RESAMPLES, Bench
from benchmarks.recall_sets import Question, RecallSet, read

DEPTH, SENT = 10, 3
AT_ONCE = 50  # proposals
LABELS = ("R@10", "R@10 in words", "characters, first 3", "characters, first 10")

Figures = npt.NDArray[np.float64]
"""The LABELS of each question."""


@dataclass(frozen=True)
class Holdings:
    """The positions of the statements that each memory represents, and of those whose words it
    contains.
    """

    whole: Mapping[UUID, frozenset[int]]
    in_words: Mapping[UUID, frozenset[int]]


def asked(bench: Bench, held: Holdings) -> Figures:
    """Return the figures of each question in the space as it is now."""
    from memory.recall.recall import SearchRequest, recall

    rows = []
    for question in bench.talk.questions:
        request = SearchRequest(question.text, profile="hybrid", limit=DEPTH)
        found = recall(bench.space, request, now=bench.now)
        sizes = [len(result.memory.content) for result in found.results]
        rows.append(
            [
                _share(question, found.memory_ids, held.whole),
                _share(question, found.memory_ids, held.in_words),
                sum(sizes[:SENT]),
                sum(sizes),
            ]
        )
    return np.array(rows, dtype=np.float64)


def _share(question: Question, ids: Sequence[UUID], held: Mapping[UUID, frozenset[int]]) -> float:
    found = frozenset[int]().union(*(held[pk] for pk in ids))
    return len(question.evidence & found) / len(question.evidence)


def consolidate(bench: Bench) -> UUID:
    """Apply all proposals of a run as one action; return its id."""
    from django.utils import timezone

    from foundation.actors import SYSTEM
    from foundation.readers import EVERYONE
    from memory.consolidation.consolidation_job import start_consolidation
    from memory.consolidation.services import apply_proposals
    from memory.jobs.running import work_at
    from memory.jobs.services import claim_job
    from memory.models import ConsolidationProposal

    space, actor, now = bench.space, SYSTEM.in_action(), timezone.now()
    job = start_consolidation(space=space, reader=EVERYONE, actor=SYSTEM, now=now)
    mine = claim_job(space_id=space.pk, job_id=job.pk, now=now)
    assert mine is not None
    work_at(mine)
    made = list(ConsolidationProposal.objects.in_space(space).of_job(job.pk).order_by("pk"))
    # Memories that stay are needed before another proposal may merge them.
    made.sort(key=lambda one: not one.keeps_last)
    for start in range(0, len(made), AT_ONCE):
        part = made[start : start + AT_ONCE]
        apply_proposals(space=space, proposals=part, actor=actor, now=timezone.now())
    assert actor.action_id is not None
    return actor.action_id


def holdings(bench: Bench) -> tuple[Holdings, dict[str, int]]:
    """Return which statements each memory stands for now, and the number of proposals applied by
    kind."""
    from memory.models import ConsolidationProposal

    whole = {pk: frozenset({place}) for pk, place in bench.places.items()}
    in_words, kinds = dict(whole), dict[str, int]()
    applied = ConsolidationProposal.objects.in_space(bench.space).applied()
    for one in sorted(applied, key=lambda one: (one.decided_at, not one.keeps_last)):
        sources = frozenset[int]().union(*(whole[pk] for pk in one.sources))
        told = [UUID(pk) for sentence in one.sentences for pk in sentence["sources"]]
        words = frozenset[int]().union(*(in_words[pk] for pk in told or one.sources))
        whole[one.result_id], in_words[one.result_id] = sources, words
        kinds[one.kind] = kinds.get(one.kind, 0) + 1
    return Holdings(whole, in_words), kinds


def undone(bench: Bench, action_id: UUID, active: int) -> bool:
    """Undo the action; return true if as many memories as before are active again."""
    from django.utils import timezone

    from foundation.actors import SYSTEM
    from foundation.readers import EVERYONE
    from memory.consolidation.undo import undo_action

    undo_action(
        space=bench.space,
        reader=EVERYONE,
        action_id=action_id,
        actor=SYSTEM,
        now=timezone.now(),
    )
    return active_in(bench) == active


def active_in(bench: Bench) -> int:
    """Return the number of active memories."""
    from memory.models import Memory

    return Memory.objects.in_space(bench.space).live().count()


def measure(sets: Sequence[RecallSet]) -> None:
    """Print and save a table for each set."""
    from django.utils import timezone

    report, number, details = harness.Report("consolidation_recall"), 0, dict[str, Any]()
    for one in sets:
        parts = []
        for talk in one.talks:
            number += 1
            parts.append(_measured(Bench(talk, one.language, number, timezone.now())))
        active = [sum(part[0][when] for part in parts) for when in (0, 1)]
        before, after = (np.concatenate([part[1][when] for part in parts]) for when in (0, 1))
        report.add(f"{one.name}: {len(before)} questions", rows(active, before, after))
        kinds = [part[2] for part in parts]
        details[one.name] = {
            "proposals": {name: sum(kind.get(name, 0) for kind in kinds) for name in kinds[0]},
            "undone exactly": all(part[3] for part in parts),
        }
    report.save(sets=details)


def _measured(bench: Bench) -> tuple[tuple[int, int], tuple[Figures, Figures], Any, bool]:
    """Return the active memories and the figures before and after, the kinds of the proposals
    applied, and whether the undo restored all."""
    active = active_in(bench)
    before = asked(bench, holdings(bench)[0])
    action_id = consolidate(bench)
    harness.vacuum()
    held, kinds = holdings(bench)
    left, after = active_in(bench), asked(bench, held)
    return (active, left), (before, after), kinds, undone(bench, action_id, active)


def rows(active: Sequence[int], before: Figures, after: Figures) -> list[dict[str, str]]:
    """Return the rows of a table."""
    first, last = active
    found = [_row("memories", str(first), str(last), f"{last / first - 1:+.1%}")]
    chance = np.random.default_rng(7)  # the same on every run
    drawn = chance.integers(len(before), size=(RESAMPLES, len(before)))
    for column, label in enumerate(LABELS):
        old, new = before[:, column], after[:, column]
        relative = label.startswith("characters")
        changes = new[drawn].mean(axis=1) - old[drawn].mean(axis=1)
        if relative:
            changes = changes / old[drawn].mean(axis=1)
        low, high = np.percentile(changes, [2.5, 97.5])
        middle = new.mean() / old.mean() - 1 if relative else new.mean() - old.mean()
        form = "{:.0f}" if relative else "{:.3f}"
        change = "{:+.1%} ± {:.1%}" if relative else "{:+.3f} ± {:.3f}"
        cells = form.format(old.mean()), form.format(new.mean())
        found.append(_row(label, *cells, change.format(middle, (high - low) / 2)))
    return found


def _row(what: str, before: str, after: str, change: str) -> dict[str, str]:
    return {"what": what, "before": before, "after": after, "change": change}


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description="Consolidation: what it saves and costs")
    parser.add_argument("data", type=Path, nargs="+", help="files of sets")
    options = parser.parse_args()
    with harness.own_ebb():
        measure([read(path) for path in options.data])


if __name__ == "__main__":
    main()
