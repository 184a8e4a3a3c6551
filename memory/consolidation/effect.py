"""The effect of a proposal on the results of the ranking lab's saved questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Space
from foundation.readers import Reader
from memory.consolidation.services import as_if_applied
from memory.models import ConsolidationProposal, SavedQuery
from memory.models.policies import current_policy
from memory.policies.preview import Ranked, Ranking, questions_of, ranked_now
from memory.recall.share import share_of

MOST = 10
"""Number of the newest saved questions that are compared."""


@dataclass(frozen=True)
class Effect:
    """The saved questions whose results change, and the number of questions with unchanged
    results.
    """

    changed: Sequence[Ranking]
    same: int


def effect_of(*, space: Space, proposal: ConsolidationProposal, now: datetime) -> Effect | None:
    """Return the effect of an open proposal on the saved questions, as its user asks them; None if
    the proposal is outdated. Nothing is changed. Raises EmbeddingError."""
    queries = SavedQuery.objects.in_space(space).newest(MOST)
    policy = current_policy(space).document
    questions = questions_of(space, Reader(proposal.user_id), queries, now)

    def found() -> list[list[Ranked]]:
        """Return the results of each question."""
        with share_of(space):
            return [ranked_now(question, policy) for question in questions]

    before = found()
    after = as_if_applied(space=space, proposal=proposal, now=now, read=found)
    if after is None:
        return None
    rankings = [Ranking(*one) for one in zip(queries, before, after, strict=True)]
    changed = [one for one in rankings if _ids(one.before) != _ids(one.after)]
    return Effect(changed, len(rankings) - len(changed))


def _ids(found: Sequence[Ranked]) -> list[object]:
    return [one.id for one in found]
