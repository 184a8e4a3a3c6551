"""The sweep of a large space as a job: in batches, each a transaction with its history.

Beat starts a job if a sweep would remove more than AT_ONCE memories. A person can start one at
any time. Cancelling a job keeps the finished batches. Beat then skips the space for
the time PAUSE, so that the policy can be changed.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from foundation.actors import SYSTEM, Actor
from foundation.database.leases import database_now
from foundation.errors import Conflict
from memory.jobs import services as jobs
from memory.jobs.kinds import Labels
from memory.models import Job, JobState, Memory
from memory.models.policies import current_policy
from memory.retention import statements
from memory.retention.history import Cause
from memory.retention.sweep import TURNS_AT_ONCE, alone, purge

KIND = "sweep"
LABELS = Labels(
    _("Cleanup"),
    {
        "expired": _("expired"),
        "evicted": _("removed for space"),
        "purged": _("purged"),
    },
    refreshes_page=True,
)
BATCH = 1000  # memories; one batch takes much less time than a lease, even among a million
AT_ONCE = 10_000
PAUSE = timedelta(hours=1)


def start_sweep(*, space: Space, actor: Actor, now: datetime) -> Job:
    """Start a job in which a worker sweeps the space. Raises Conflict while another one runs."""
    return jobs.start_job(
        space=space, kind=KIND, parameters={}, actor=actor, now=now, total=to_go(space, now)
    )


def latest_sweep(space: Space) -> Job | None:
    """Return the space's newest sweep job."""
    return Job.objects.in_space(space).latest_of(KIND)


def to_go(space: Space, now: datetime) -> int:
    """Return the number of memories that a sweep would move or delete now; some of them may be
    protected."""
    document, rows = current_policy(space).document, Memory.objects.in_space(space)
    expired = statements.expiring(rows, now=now).count()
    over = sum(statements.excess_by_user(rows, document.capacity).values()) - expired
    old = statements.purgeable(rows, now=now, bin_days=document.bin_days).count()
    return expired + max(0, over) + old


def start_large(*, now: datetime) -> set[int]:
    """Start jobs for spaces with many memories to remove; beat calls this.

    Return the ids of the spaces that the direct sweep skips, because their job is running or was
    cancelled less than PAUSE ago.
    """
    cancelled = Q(state=JobState.CANCELLED, ended_at__gt=now - PAUSE)
    left = Job.objects.filter(cancelled | Q(state__in=["queued", "running"]), kind=KIND)
    ids = set(left.values_list("space_id", flat=True))
    large = Memory.objects.values_list("space_id").annotate(Count("pk")).order_by()
    sizes = large.filter(pk__count__gt=AT_ONCE).exclude(space_id__in=ids)
    for space in Space.objects.open().filter(pk__in=[space_id for space_id, _size in sizes]):
        if to_go(space, now) > AT_ONCE:
            with suppress(Conflict):
                start_sweep(space=space, actor=SYSTEM, now=now)
            ids.add(space.pk)
    return ids


def sweep_in_batches(job: Job) -> Mapping[str, Any]:
    """Expire, evict and purge in batches as the job's work; return the number of each. Raises
    JobStopped."""
    counts: dict[str, int] = {"expired": 0, "evicted": 0, "purged": 0, **job.result}
    for name in counts:
        while _step(job, name, counts):
            pass
    return counts


def _step(job: Job, name: str, counts: dict[str, int]) -> int:
    """Remove one batch, if there is one, and record the job's progress; return the number of
    memories."""
    with alone(job.space):
        cause = _cause(job)
        if name == "expired":
            gone = statements.expire(cause, at_most=BATCH)
        elif name == "evicted":
            gone = statements.evict(cause, at_most=BATCH, after=counts[name])
        else:
            gone = _purge(cause)
        after = counts | {name: counts[name] + gone}
        done = sum(after.values())
        total = max(job.total or 0, done)
        jobs.advance(job=job, done=done, total=total, result=after, now=database_now())
    counts.update(after)
    return gone


def _cause(job: Job) -> Cause:
    actor = Actor(job.actor_type, job.actor_name)  # type: ignore[arg-type]  # it was one when the job was made
    return Cause(job.space, actor, current_policy(job.space), timezone.now())


def _purge(cause: Cause) -> int:
    days = cause.policy.document.bin_days
    old = statements.purgeable(cause.rows, now=cause.now, bin_days=days)
    in_order = old.order_by("source_conversation", "created_at").values_list("pk", flat=True)
    ids = list(in_order[:TURNS_AT_ONCE])
    return purge(cause, cause.rows.binned().filter(pk__in=ids)) if ids else 0
