"""The outbox: each finished exchange is one row here, which a worker leases and assesses.

The row is written in the transaction that stores the message, so nothing is lost if the broker, the
worker or the model is unavailable.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memory.leases import LeasedQuerySet
from memory.models import Space

MAX_ATTEMPTS = 8


class AssessmentQuerySet(LeasedQuerySet["Assessment"]):
    """Queries on assessments of one space or of all spaces."""

    FENCE = "lease"  # `attempts` restarts when an exchange is requeued
    EXHAUSTED = Q(attempts__gte=MAX_ATTEMPTS)

    def in_space(self, space: Space) -> AssessmentQuerySet:
        """Return the assessments of this space."""
        return self.filter(space_id=space.pk)

    def waiting(self, now: datetime) -> Self:
        """Return the exchanges that are due; parts of a span are assessed with its
        first exchange.
        """
        return self.filter(state__in=["queued", "retrying"], due_at__lte=now, part_of=None)

    def in_span(self, first: Assessment) -> AssessmentQuerySet:
        """Return the rows of an exchange and of the others in its span."""
        return self.filter(Q(pk=first.pk) | Q(part_of=first.pk), space_id=first.space_id)

    def counted_by_state(self) -> dict[str, int]:
        """Return the number of assessments in each state, including states with 0."""
        state = self.model._meta.get_field("state")
        counted = dict(self.values_list("state").annotate(models.Count("pk")).order_by())
        return {name: counted.get(name, 0) for name, _ in state.choices or ()}

    def saying(self, words: str) -> AssessmentQuerySet:
        """Return the exchanges with this phrase in the text or the summary."""
        return self.filter(
            Q(user_message__icontains=words)
            | Q(assistant_response__icontains=words)
            | Q(summary__icontains=words)
        )


class State(models.TextChoices):
    """The states of an assessment.

    queued → running → done | ignored | retrying | failed; retrying → running.
    """

    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    RETRYING = "retrying", _("retrying")
    DONE = "done", _("done")
    IGNORED = "ignored", _("ignored")
    FAILED = "failed", _("failed")


class Assessment(models.Model):
    """One exchange and its assessment."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey("memory.Space", models.CASCADE, related_name="assessments")
    idempotency_key = models.CharField(max_length=200, null=True, blank=True, editable=False)  # noqa: DJ001 - NULLs are distinct in the unique constraint, empty strings are not
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    # The exchange.
    user_message = models.TextField(_("user message"))
    assistant_response = models.TextField(_("assistant's reply"), blank=True)
    source_role = models.CharField(_("speaker role"), max_length=20, default="user")
    source_conversation = models.CharField(_("conversation"), max_length=200, blank=True)
    context = models.JSONField(_("context"), default=dict, blank=True)

    # Progress. Only the worker with the newest `lease` may write (memory.leases); `attempts` counts
    # the leases since the row was queued.
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.QUEUED)
    due_at = models.DateTimeField(_("due"), default=timezone.now)
    enqueued_at = models.DateTimeField(
        _("last enqueued"), default=timezone.now, db_column="told_at"
    )
    leased_until = models.DateTimeField(_("leased until"), null=True, blank=True)
    lease = models.UUIDField(null=True, blank=True, editable=False)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)
    error = models.TextField(_("error"), blank=True)
    # Failed attempts, the latest last: `at`, `error` and `answer` ("" if there was none).
    failed_tries = models.JSONField(_("failed attempts"), default=list, blank=True, db_default=[])

    # For assessment by topic (policy: trigger): the first exchange of a span waits for the span's
    # end, the others are `part_of` the first.
    span_ends_at = models.DateTimeField(_("span ends"), null=True, blank=True)
    part_of = models.ForeignKey(
        "self",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="parts",
        verbose_name=_("part of"),
    )

    # The assessor and its costs.
    rubric = models.CharField(_("rubric"), max_length=10, blank=True)
    provider = models.CharField(_("provider"), max_length=10, blank=True)
    model = models.CharField(_("model"), max_length=120, blank=True)
    prompt_version = models.CharField(_("prompt"), max_length=20, blank=True)
    raw_answer = models.TextField(_("raw answer"), blank=True)
    latency_ms = models.FloatField(_("latency (ms)"), null=True, blank=True)
    tokens = models.PositiveIntegerField(_("tokens"), null=True, blank=True)
    cost_usd = models.FloatField(_("cost (USD)"), null=True, blank=True)
    # In a cascade: the built-in assessor's importance, whichever result was used.
    first_importance = models.FloatField(_("built-in importance"), null=True, blank=True)

    # The assessment.
    importance = models.FloatField(_("importance"), null=True, blank=True)
    memory_type = models.CharField(_("type"), max_length=12, blank=True)
    summary = models.TextField(_("summary"), blank=True)
    tags = ArrayField(models.CharField(max_length=60), default=list, blank=True)
    topics = ArrayField(models.CharField(max_length=120), default=list, blank=True)
    reasoning = models.TextField(_("reasoning"), blank=True)
    facets = models.JSONField(_("facets"), null=True, blank=True)
    confidence = models.FloatField(_("confidence"), null=True, blank=True)
    ttl_seconds = models.PositiveBigIntegerField(_("lifetime (s)"), null=True, blank=True)
    memory = models.ForeignKey(
        "memory.Memory", models.SET_NULL, null=True, blank=True, related_name="assessments"
    )

    objects: ClassVar[models.Manager[Assessment]] = AssessmentQuerySet.as_manager()

    class Meta:
        verbose_name = _("assessment")
        verbose_name_plural = _("assessments")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "idempotency_key"], name="assessment_once_per_idempotency_key"
            )
        ]
        indexes = [
            models.Index(fields=["space", "-created_at", "id"], name="assessment_by_time"),
            # For the figures of the Assessments page (assessor.inspection).
            models.Index(
                fields=["space", "created_at"],
                include=[
                    "state",
                    "provider",
                    "latency_ms",
                    "tokens",
                    "cost_usd",
                    "first_importance",
                    "importance",
                    "model",
                ],
                condition=Q(part_of__isnull=True),
                name="assessment_figures",
            ),
            models.Index(
                fields=["space", "state", "-created_at", "id"], name="assessment_by_state"
            ),
            # For the models used lately, and the assessments of one model.
            models.Index(
                fields=["space", "model", "-created_at", "-id"],
                condition=~Q(model=""),
                name="assessment_by_model",
            ),
            # For the moderators' list of all spaces.
            models.Index(fields=["created_at", "id"], name="assessment_of_all_by_time"),
            models.Index(
                fields=["due_at"],
                condition=Q(state__in=["queued", "retrying", "running"]),
                name="assessment_unfinished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state} · {self.user_message[:60]}"

    @property
    def waits_for_its_span(self) -> bool:
        """True if the exchange will be assessed when its topic ends."""
        in_span = self.part_of_id is not None or self.span_ends_at is not None
        return self.state == State.QUEUED and in_span

    @property
    def made_its_memory(self) -> bool:
        """True if the exchange or its span created its memory, rather than confirming a
        known one.
        """
        made_by = self.memory.source_assessment if self.memory else None
        return made_by is not None and made_by == (self.part_of_id or self.pk)

    @property
    def is_finished(self) -> bool:
        """True if the exchange was assessed or skipped, or has failed."""
        return self.state in {State.DONE, State.IGNORED, State.FAILED}
