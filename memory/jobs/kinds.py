"""The registry of jobs: each kind with its function and its labels.

Each feature registers its kinds when its app is ready, so that jobs need not import the features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from foundation.readers import Reader
from memory.models import Job

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

Work = Callable[[Job], Mapping[str, Any]]
"""A function that does the job from its current state and returns its result. May raise
EbbError or ProviderError, which end the job as failed unless the model is only temporarily
unavailable."""

Details = Callable[[Job, Reader], Mapping[str, Any]]
"""A function that returns the part of a job's result that quotes memories, limited to those that
the reader sees. The job's own row contains numbers only.
"""


@dataclass(frozen=True)
class Labels:
    """The names of a kind of job and of each number in its result, for pages.

    With `refreshes_page`, the page that started the job is reloaded when the job has ended. With
    `needs_file`, the job cannot be resumed once its file is deleted.
    """

    name: _StrPromise
    counts: Mapping[str, _StrPromise]
    refreshes_page: bool = False
    needs_file: bool = False


WORK: dict[str, Work] = {}
LABELS: dict[str, Labels] = {}
"""Labels of the kinds that have no page of their own; memory.jobs.views shows and stops them."""
DETAILS: dict[str, Details] = {}


def register(
    kind: str, work: Work, labels: Labels | None = None, details: Details | None = None
) -> None:
    """Add a kind of job; `labels` only for kinds without a page of their own."""
    WORK[kind] = work
    if details is not None:
        DETAILS[kind] = details
    if labels is not None:
        LABELS[kind] = labels
