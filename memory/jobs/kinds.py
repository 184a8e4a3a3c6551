"""The registry of jobs: each kind with its function and its labels.

Each feature registers its kinds when its app is ready, so that jobs need not import the features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory.models import Job

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

Work = Callable[[Job], Mapping[str, Any]]
"""A function that does the job from its current state and returns its result. May raise
EbbError or ProviderError, which end the job as failed unless the model is only temporarily
unavailable."""


@dataclass(frozen=True)
class Labels:
    """The names of a kind of job and of each number in its result, for pages.

    With `refreshes_page`, the page that started the job is reloaded when the job has ended.
    """

    name: _StrPromise
    counts: Mapping[str, _StrPromise]
    refreshes_page: bool = False


WORK: dict[str, Work] = {}
LABELS: dict[str, Labels] = {}
"""Labels of the kinds that have no page of their own; memory.jobs.views shows and stops them."""


def register(kind: str, work: Work, labels: Labels | None = None) -> None:
    """Add a kind of job; `labels` only for kinds without a page of their own."""
    WORK[kind] = work
    if labels is not None:
        LABELS[kind] = labels
