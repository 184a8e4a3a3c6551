"""Counts right and wrong proposals to consolidate: `python -m benchmarks.consolidation`.

Saves the 300 memories of benchmarks/sets/consolidation.txt in one space, a day apart, and looks for
proposals without a model. Counts completely merged facts, wrong pairs among the merged ones, and
the contradictions found. Repeats this with groups that were written after the rule
(consolidation_later.txt). With --explain, prints each difference.
"""

import argparse
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks import harness
from benchmarks.consolidation_set import (
    FIRST,
    LATER,
    Group,
    Proposed,
    counted,
    groups,
    missed,
)

BEGINS = datetime(2026, 1, 1, 12, tzinfo=UTC)


def filled(slug: str, found: list[Group], model: str) -> Any:
    """Return a new space with all memories of the groups, embedded by this model."""
    from foundation.actors import SYSTEM
    from memory.drafts import MemoryDraft
    from memory.embeddings import BUILT_IN
    from memory.embeddings.embedders import register_embedder
    from memory.spaces.services import create_space
    from memory.store.services import create_memories

    embedder = register_embedder(provider="local", model=model, dimensions=BUILT_IN[model])
    space = create_space(slug=slug, name=slug, embedder=embedder, actor=SYSTEM)
    texts = [text for group in found for text in group.texts]
    drafts = [
        MemoryDraft(content=text, memory_type="fact", created_at=BEGINS + timedelta(days=number))
        for number, text in enumerate(texts)
    ]
    create_memories(space=space, drafts=drafts, actor=SYSTEM, now=BEGINS + timedelta(days=400))
    return space


def proposed(space: Any) -> list[Proposed]:
    """Return what a run proposes in the space."""
    from django.utils import timezone

    from foundation.actors import SYSTEM
    from foundation.readers import EVERYONE
    from memory.consolidation.consolidation_job import start_consolidation
    from memory.jobs.running import work_at
    from memory.jobs.services import claim_job
    from memory.models import ConsolidationProposal, Memory

    now = timezone.now()
    job = start_consolidation(space=space, reader=EVERYONE, actor=SYSTEM, now=now)
    mine = claim_job(space_id=space.pk, job_id=job.pk, now=now)
    assert mine is not None
    work_at(mine)
    texts = dict(Memory.objects.in_space(space).values_list("pk", "content"))
    return [
        Proposed(
            one.kind,
            frozenset(texts[pk] for pk in one.removed),
            tuple(texts[pk] for pk in one.sources),
        )
        for one in ConsolidationProposal.objects.in_space(space).of_job(job.pk)
    ]


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", default="all-MiniLM-L6-v2", help="a built-in model")
    parser.add_argument("--explain", action="store_true", help="print each difference")
    options = parser.parse_args()
    with harness.own_ebb():
        report, memories = harness.Report("consolidation"), {}
        for title, path in (("First set", FIRST), ("Written after the rule", LATER)):
            found = groups(path)
            proposals = proposed(filled(path.stem.replace("_", "-"), found, options.embedder))
            report.add(title, rows(found, proposals))
            memories[title] = sum(len(one.texts) for one in found)
            if options.explain:
                print("\n".join(missed(found, proposals)))
        report.save(memories=memories, embedder=options.embedder)


def rows(found: list[Group], proposals: list[Proposed]) -> list[dict[str, Any]]:
    """Return a row of the report for each language."""
    return [
        {
            "groups": language,
            **counted([one for one in found if one.language == language], proposals),
        }
        for language in ("English", "Chinese")
    ]


if __name__ == "__main__":
    main()
