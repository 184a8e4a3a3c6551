"""Screening of everything a model wants to save, by any API: tools, MCP, XML tags.

Text the model has read may have manipulated it: secrets are masked, and planted instructions are
sent to review. `remember` takes no importance: the statement's type and importance are assessed.
Screening and assessment belong to an app above this one; the assessor calls `register` in its
AppConfig, as the apps above contribute to a space's file.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory.drafts import MemoryDraft, MemoryTypeName
from memory.models import Space
from memory.models.policies import current_policy
from memory.text.secrets import mask_together


@dataclass(frozen=True)
class Weight:
    """The type of a statement, and its importance in [0, 1]."""

    memory_type: MemoryTypeName
    importance: float


@dataclass(frozen=True)
class Guard:
    """The screening and assessment functions. `held_because` returns the reason to send words to
    review, or None; `weigh` the type and importance of a statement, or None if they are unknown."""

    held_because: Callable[[str], str | None]
    weigh: Callable[[str], Weight | None]


_guards: list[Guard] = []


def register(guard: Guard) -> None:
    """Use this guard from now on."""
    _guards[:] = [guard]


def held_because(space: Space, words: str) -> str | None:
    """Return the reason to send these words to review; None if there is none, or if the policy has
    review switched off."""
    if not current_policy(space).document.assessment.review:
        return None
    [guard] = _guards
    return guard.held_because(words)


def masked(space: Space, texts: Sequence[str], *, said: str = "") -> Sequence[str]:
    """Return related texts with their secrets masked, if the policy says so. `said` is the text
    they were made from: a secret in it is masked in them as well."""
    if not current_policy(space).document.assessment.mask_secrets:
        return texts
    return mask_together([said, *texts])[1:]


def weighed(draft: MemoryDraft) -> MemoryDraft:
    """Return the draft with its type and importance assessed. The importance is never below the
    draft's own, because somebody asked to remember the statement."""
    [guard] = _guards
    weight = guard.weigh(draft.content)
    if weight is None:
        return draft
    judged = {
        "memory_type": weight.memory_type,
        "importance": max(weight.importance, draft.base_importance),
    }
    return draft.model_copy(update=judged)
