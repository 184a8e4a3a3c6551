"""Screening of everything a model wants to save, by any API: tools, MCP, XML tags.

Text the model has read may have manipulated it: secrets are masked, and planted instructions are
sent to review. `remember` takes no importance: the statement's type and importance are assessed.
Screening and assessment belong to an app above this one; the assessor calls `register` in its
AppConfig, as the apps above contribute to a space's file.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import Space
from foundation.errors import FieldError, InvalidArguments
from memory.drafts import Facets, MemoryDraft, MemoryTypeName
from memory.models.policies import current_policy
from memory.policy import PolicyDocument
from memory.recall.similar import NEIGHBOURS, Neighbour
from memory.reconciliation.rules import Decision, is_same_text
from memory.reconciliation.services import near
from memory.store.services import Prepared
from memory.text.secrets import mask_together, says_only_secrets


@dataclass(frozen=True)
class TypeAndImportance:
    """The type of a statement, its importance in [0, 1], and its facets by the rubric `facets`."""

    memory_type: MemoryTypeName
    importance: float
    facets: Facets | None


@dataclass(frozen=True)
class Guard:
    """The screening and assessment functions. `review_reason` returns the reason to send words to
    review, or None; `assess` the type and importance of a statement by a rubric, or None if they
    are unknown; `advise` a model's decision on how a statement relates to its neighbours, or None.
    """

    review_reason: Callable[[str], str | None]
    assess: Callable[[str, str], TypeAndImportance | None]
    advise: Callable[[Space, PolicyDocument, str, Sequence[Neighbour]], Decision | None]


_guards: list[Guard] = []


def register(guard: Guard) -> None:
    """Use this guard from now on."""
    _guards[:] = [guard]


def review_reason(space: Space, words: str) -> str | None:
    """Return the reason to send these words to review; None if there is none, or if the policy has
    review switched off."""
    if not current_policy(space).document.assessment.review:
        return None
    [guard] = _guards
    return guard.review_reason(words)


def masked(space: Space, texts: Sequence[str], *, said: str = "") -> Sequence[str]:
    """Return related texts with their secrets masked, if the policy says so. `said` is the text
    they were made from: a secret in it is masked in them as well.

    Raises InvalidArguments if the first text contains nothing but a secret.
    """
    if not current_policy(space).document.assessment.mask_secrets:
        return texts
    masked_texts = mask_together([said, *texts])[1:]
    if says_only_secrets(masked_texts[0]):
        raise InvalidArguments(
            FieldError("content", "contains only a secret, which Ebb does not save")
        )
    return masked_texts


def assessed(space: Space, draft: MemoryDraft) -> MemoryDraft:
    """Return the draft with its type and importance assessed by the policy's rubric. With facets
    the importance follows from them. Otherwise it is never below the draft's own, because someone
    asked to remember the statement.
    """
    [guard] = _guards
    found = guard.assess(draft.content, current_policy(space).document.assessment.rubric)
    if found is None:
        return draft
    changes: dict[str, Any] = {"memory_type": found.memory_type, "facets": found.facets}
    if found.facets is None:
        changes["importance"] = max(found.importance, draft.base_importance)
    return draft.model_copy(update=changes)


def advised(prepared: Prepared) -> Decision | None:
    """Return a model's decision on the only prepared draft; None if no model is connected, or if
    its text is known already. Call this outside a transaction."""
    [guard], [draft] = _guards, prepared.drafts
    neighbours = near(prepared)
    if any(is_same_text(draft.content, one) for one in neighbours):
        return None
    policy = prepared.policy.document
    return guard.advise(prepared.space, policy, draft.content, neighbours[:NEIGHBOURS])
