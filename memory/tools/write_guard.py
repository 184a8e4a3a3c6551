"""What a model wants kept passes here first, whichever API it writes by: tools, MCP, XML tags.

It may have been talked into it by what it read: secrets are masked, and what plants an instruction
waits for a person. And `remember` asks for no importance: what the statement is and weighs is
judged. Screening and judging stand above this app; the assessor takes the post (`register`, in its
AppConfig), as the apps above contribute to a space's file.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory.drafts import MemoryDraft, MemoryTypeName
from memory.models import Space
from memory.models.policies import current_policy
from memory.text.secrets import mask_together


@dataclass(frozen=True)
class Weight:
    """What a statement is, and what it weighs in [0, 1]."""

    memory_type: MemoryTypeName
    importance: float


@dataclass(frozen=True)
class Guard:
    """Who screens and judges. `held_because` gives why words must wait for a person, or None;
    `weigh` what a statement is worth, or None where nobody can say."""

    held_because: Callable[[str], str | None]
    weigh: Callable[[str], Weight | None]


_guards: list[Guard] = []


def register(guard: Guard) -> None:
    """From now on this one screens and judges."""
    _guards[:] = [guard]


def held_because(space: Space, words: str) -> str | None:
    """Why these words must wait for a person; None where they need not, or the policy holds
    nothing back."""
    if not current_policy(space).document.assessment.review:
        return None
    [guard] = _guards
    return guard.held_because(words)


def masked(space: Space, texts: Sequence[str], *, said: str = "") -> Sequence[str]:
    """Texts that belong together without their secrets, if the policy says so. `said` is what they
    were made of: a secret there is one in them."""
    if not current_policy(space).document.assessment.mask_secrets:
        return texts
    return mask_together([said, *texts])[1:]


def weighed(draft: MemoryDraft) -> MemoryDraft:
    """The draft with its type and importance judged; never less than nobody's judgement would give
    it: who asks to remember something wants it kept."""
    [guard] = _guards
    weight = guard.weigh(draft.content)
    if weight is None:
        return draft
    judged = {
        "memory_type": weight.memory_type,
        "importance": max(weight.importance, draft.base_importance),
    }
    return draft.model_copy(update=judged)
