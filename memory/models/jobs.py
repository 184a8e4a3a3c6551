"""Jobs, long work in a space: their progress and their input."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.actor_types import ActorType
from accounts.models.personal import user_field
from accounts.models.space_rows import SpaceForeignKey, SpaceRow
from foundation.database.leases import LeasedQuerySet

MAX_STILL = 8
"""Number of consecutive workers without progress after which a job is given up."""


class JobQuerySet(LeasedQuerySet["Job"]):
    """Queries on jobs; each except those of beat begins with `in_space`."""

    FENCE = "attempts"
    EXHAUSTED = Q(attempts__gte=F("last_progress_attempt") + MAX_STILL)

    def in_space(self, space: Space) -> JobQuerySet:
        """Return the jobs of this space."""
        return self.filter(space_id=space.pk)

    def latest_of(self, kind: str) -> Job | None:
        """Return the newest job of this kind, or None."""
        return self.filter(kind=kind).order_by("-created_at").first()

    def unfinished(self) -> JobQuerySet:
        """Return the queued and running jobs."""
        return self.filter(state__in=["queued", "running"])


class JobState(models.TextChoices):
    """Transitions: queued → running → done | failed | cancelled; failed | cancelled → queued."""

    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


class Job(SpaceRow):
    """One job, leased by a worker and done in steps, each of which is stored.

    `done` and `total` count the units of its kind (bytes of a file, memories); `total` is null
    while it is unknown. `result` is the work's state between steps, so that the next worker
    continues from there, and in the end its outcome.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="jobs", verbose_name=_("space")
    )
    kind = models.CharField(_("kind"), max_length=20)
    # The user who waits for no other user's job of the kind; null for jobs of the whole space.
    user_id = user_field()
    state = models.CharField(_("state"), max_length=9, choices=JobState, default=JobState.QUEUED)
    parameters = models.JSONField(_("parameters"), default=dict)
    done = models.PositiveBigIntegerField(_("done"), default=0)
    total = models.PositiveBigIntegerField(_("total"), null=True, blank=True)
    result = models.JSONField(_("result"), default=dict)
    error = models.TextField(_("error"), blank=True)
    cancel_requested = models.BooleanField(_("cancel requested"), default=False)
    actor_type = models.CharField(_("actor type"), max_length=10, choices=ActorType)
    actor_name = models.CharField(_("actor"), max_length=150, blank=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    enqueued_at = models.DateTimeField(default=timezone.now, editable=False)

    # The current run: its start and the value of `done` then. `attempts` numbers the leases
    # (foundation.database.leases); `last_progress_attempt` is the last lease that made progress.
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    done_before = models.PositiveBigIntegerField(default=0, editable=False)
    leased_until = models.DateTimeField(null=True, blank=True, editable=False)
    attempts = models.PositiveIntegerField(default=0, editable=False)
    last_progress_attempt = models.PositiveIntegerField(default=0, editable=False)

    objects: ClassVar[models.Manager[Job]] = JobQuerySet.as_manager()

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "kind", "user_id"],
                condition=Q(state__in=["queued", "running"]),
                nulls_distinct=False,
                name="job_one_of_a_kind_and_user",
            )
        ]
        indexes = [
            models.Index(fields=["space", "-created_at", "id"], name="job_by_time"),
            models.Index(
                fields=["enqueued_at"],
                condition=Q(state__in=["queued", "running"]),
                name="job_unfinished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} · {self.state}"

    @property
    def is_finished(self) -> bool:
        """True if the job has ended, in whatever way."""
        return self.state in {JobState.DONE, JobState.FAILED, JobState.CANCELLED}

    @property
    def has_file(self) -> bool:
        """True while the file that was uploaded for the job is stored."""
        return JobPart.objects.filter(space_id=self.space_id, job_id=self.pk).exists()

    def left(self, now: datetime) -> timedelta | None:
        """Return the remaining time at the pace of the current run; None while it is unknown."""
        if self.state != JobState.RUNNING or self.started_at is None or self.total is None:
            return None
        moved = self.done - self.done_before
        if moved <= 0:
            return None
        return (now - self.started_at) * max(0, self.total - self.done) / moved


class JobPart(SpaceRow):
    """A part of the file that a job reads, stored here so that workers on all hosts can read it."""

    space = models.ForeignKey("accounts.Space", models.CASCADE, related_name="+")
    job = SpaceForeignKey(Job, models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        verbose_name = _("job part")
        verbose_name_plural = _("job parts")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "job", "number"], name="job_part_once_per_number"
            )
        ]

    def __str__(self) -> str:
        return f"{self.job_id} · {self.number}"
