"""The registry of what long work there is: a kind of job, its function and its labels.

Each feature registers its kinds when its app is ready, so that jobs need not know the features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory.models import Job

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

Work = Callable[[Job], Mapping[str, Any]]
"""Does the job from where it stands; its answer becomes the job's result. May raise EbbError or
ProviderError, which end it as failed unless the model is only away."""


@dataclass(frozen=True)
class Labels:
    """What a page calls a kind of work and each number in its result.

    With `refreshes_page`, the page that began the work is loaded again when it has ended.
    """

    name: _StrPromise
    counts: Mapping[str, _StrPromise]
    refreshes_page: bool = False


WORK: dict[str, Work] = {}
LABELS: dict[str, Labels] = {}
"""Of the kinds that have no page of their own, and are watched and stopped by memory.jobs.views."""


def register(kind: str, work: Work, labels: Labels | None = None) -> None:
    """Add a kind of work; `labels` for one that has no page of its own."""
    WORK[kind] = work
    if labels is not None:
        LABELS[kind] = labels
