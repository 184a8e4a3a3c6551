"""What a held statement was about to do to a memory: kept with it as JSON, read at the decision."""

from typing import Any, cast
from uuid import UUID

from memory.models import Memory
from memory.models.reasons import columns, from_columns
from memory.reconciliation.rules import Decision, Verdict


def stored(decision: Decision | None) -> dict[str, Any] | None:
    """The decision as Memory.review_proposal holds it; None if it is about no memory."""
    if decision is None or decision.memory is None:
        return None
    return {
        "verdict": str(decision.verdict),
        "memory_id": str(decision.memory.pk),
        "revision": decision.memory.revision,
        **columns(decision.reason),
    }


def proposal_of(held: Memory) -> Decision | None:
    """What it was about to do, while the memory it is about lives and says what it said then."""
    kept = held.review_proposal
    if kept is None:
        return None
    live = Memory.objects.in_space(held.space).live()
    about = live.filter(pk=UUID(kept["memory_id"]), revision=cast(int, kept["revision"])).first()
    if about is None:
        return None
    coded = kept.get("reason_code", ""), kept.get("reason_argument", "")
    return Decision(Verdict(kept["verdict"]), about, from_columns(kept["reason"], *coded))
