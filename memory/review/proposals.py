"""Changes that a statement waiting for review proposes: stored with it as JSON, and read when
someone decides.
"""

from typing import Any, cast
from uuid import UUID

from memory.models import Memory
from memory.models.reasons import columns, from_columns
from memory.reconciliation.rules import Decision, Verdict


def stored(decision: Decision | None) -> dict[str, Any] | None:
    """Return the decision as stored in Memory.review_proposal; None if it concerns no memory."""
    if decision is None or decision.memory is None:
        return None
    return {
        "verdict": str(decision.verdict),
        "memory_id": str(decision.memory.pk),
        "revision": decision.memory.revision,
        **columns(decision.reason),
    }


def proposal_of(held: Memory) -> Decision | None:
    """Return the proposed decision, if the memory it concerns is still live and unchanged."""
    kept = held.review_proposal
    if kept is None:
        return None
    live = Memory.objects.in_space(held.space).live()
    about = live.filter(pk=UUID(kept["memory_id"]), revision=cast(int, kept["revision"])).first()
    if about is None:
        return None
    coded = kept.get("reason_code", ""), kept.get("reason_argument", "")
    return Decision(Verdict(kept["verdict"]), about, from_columns(kept["reason"], *coded))
