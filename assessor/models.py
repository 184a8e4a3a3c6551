"""The outbox: each finished exchange is one row here, which a worker leases and assesses.

The row is written in the transaction that stores the message, so nothing is lost if the broker, the
worker or the model is unavailable.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from functools import reduce
from operator import or_
from typing import ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.functional import cached_property  # Django prefetches into this one only
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.personal import name_field, user_field
from accounts.models.space_rows import SpaceForeignKey, SpaceRow
from accounts.models.zones import Spoken
from assessor.lessons import Lesson, lessons_taught_by
from foundation.database.leases import LeasedQuerySet
from foundation.readers import Reader
from foundation.texts.forms import folded
from memory.models import Memory
from memory.models.choices import MemoryType

MAX_ATTEMPTS = 8


class AssessmentQuerySet(LeasedQuerySet["Assessment"]):
    """Queries on assessments of one space or of all spaces."""

    FENCE = "lease"  # `attempts` restarts when an exchange is requeued
    EXHAUSTED = Q(attempts__gte=MAX_ATTEMPTS)

    def in_space(self, space: Space) -> AssessmentQuerySet:
        """Return the assessments of this space."""
        return self.filter(space_id=space.pk)

    def readable_by(self, reader: Reader) -> AssessmentQuerySet:
        """Return the assessments that this reader sees."""
        return self.filter(reader.where())

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
        texts = ("user_message", "assistant_response", "summary")
        return self.filter(
            reduce(or_, (Q(**{f"{name}__folded__contains": folded(words)}) for name in texts))
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


class FallbackReason(models.TextChoices):
    """The reason why the built-in assessor replaced the requested model."""

    NO_ANSWER = "no_answer", _("model did not answer")
    UNGROUNDED = "ungrounded", _("model's answer did not fit the message")


class Assessment(SpaceRow, Spoken):
    """One exchange and its assessment."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="assessments", verbose_name=_("space")
    )
    # The id of the request that sent the exchange, for the worker's log.
    request_id = models.CharField(max_length=64, blank=True, db_default="", editable=False)
    idempotency_key = models.CharField(max_length=200, null=True, blank=True, editable=False)  # noqa: DJ001 - NULLs are distinct in the unique constraint, empty strings are not

    # The exchange, its owner, and the person who said it, if known.
    user_id = user_field()
    said_by = name_field(_("said by"))
    user_message = models.TextField(_("user message"))
    assistant_response = models.TextField(_("assistant's reply"), blank=True)
    source_role = models.CharField(_("speaker role"), max_length=20, default="user")
    source_conversation = models.CharField(_("conversation"), max_length=200, blank=True)
    context = models.JSONField(_("context"), default=dict, blank=True)
    # The caller's own names and values, which the memory gets.
    agent_id = name_field(_("agent ID"))
    session_id = name_field(_("session ID"))
    metadata = models.JSONField(_("metadata"), default=dict, blank=True, db_default={})

    # Progress. Only the worker with the newest `lease` may write (foundation.database.leases);
    # `attempts` counts the leases since the row was queued.
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.QUEUED)
    due_at = models.DateTimeField(_("due"), default=timezone.now)
    enqueued_at = models.DateTimeField(_("last enqueued"), default=timezone.now)
    leased_until = models.DateTimeField(_("leased until"), null=True, blank=True)
    lease = models.UUIDField(null=True, blank=True, editable=False)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)
    error = models.TextField(_("error"), blank=True)
    error_code = models.CharField(max_length=40, blank=True, db_default="", editable=False)
    # Failed attempts, the latest last: `at`, `error`, `code` and `answer` ("" if there was none).
    failed_tries = models.JSONField(_("failed attempts"), default=list, blank=True, db_default=[])

    # For assessment by topic (policy: trigger): the first exchange of a span waits for the span's
    # end, the others are `part_of` the first.
    span_ends_at = models.DateTimeField(_("span ends"), null=True, blank=True)
    part_of = SpaceForeignKey(
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
    # The model that the built-in assessor replaced, and why; "" if it replaced none.
    fallback_of = models.CharField(_("fallback of"), max_length=120, blank=True, db_default="")
    fallback_reason = models.CharField(
        _("fallback reason"), max_length=10, choices=FallbackReason, blank=True, db_default=""
    )
    # The model connection that was asked. A plain value: the assessment outlives the connection.
    connection_id = models.UUIDField(null=True, blank=True, editable=False)
    raw_answer = models.TextField(_("raw answer"), blank=True)
    latency_ms = models.FloatField(_("latency (ms)"), null=True, blank=True)
    tokens = models.PositiveIntegerField(_("tokens"), null=True, blank=True)
    cost_usd = models.FloatField(_("cost (USD)"), null=True, blank=True)
    # In a cascade: the built-in assessor's importance, whichever result was used.
    first_importance = models.FloatField(_("built-in importance"), null=True, blank=True)

    # The assessment.
    importance = models.FloatField(_("importance"), null=True, blank=True)
    memory_type = models.CharField(_("type"), max_length=12, blank=True, choices=MemoryType)
    summary = models.TextField(_("summary"), blank=True)
    tags = ArrayField(
        models.CharField(max_length=60), default=list, blank=True, verbose_name=_("tags")
    )
    topics = ArrayField(
        models.CharField(max_length=120), default=list, blank=True, verbose_name=_("topics")
    )
    # Tags and topics of the answer beyond seed 001's limits: {"tags": [...], "topics": [...]}.
    omitted = models.JSONField(_("left out"), default=dict, blank=True, db_default={})
    reasoning = models.TextField(_("reasoning"), blank=True)
    facets = models.JSONField(_("facets"), null=True, blank=True)
    confidence = models.FloatField(_("confidence"), null=True, blank=True)
    ttl_seconds = models.PositiveBigIntegerField(_("lifetime (s)"), null=True, blank=True)

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
            models.Index(
                fields=["space", "user_id", "-created_at", "id"],
                condition=Q(user_id__isnull=False),
                name="assessment_by_user",
            ),
            # For the figures of the Assessments page (assessor.statistics.inspection).
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
            # For the usual time of a model connection (assessor.statistics.connection_figures).
            models.Index(
                fields=["connection_id", "-created_at"],
                condition=Q(connection_id__isnull=False, part_of__isnull=True),
                name="assessment_by_connection",
            ),
            # For the moderators' list of all spaces.
            models.Index(fields=["created_at", "id"], name="assessment_of_all_by_time"),
            models.Index(
                fields=["due_at"],
                condition=Q(state__in=["queued", "retrying", "running"]),
                name="assessment_unfinished",
            ),
            # For the turns of the spaces (assessor.outbox.turns).
            models.Index(
                fields=["space", "due_at"],
                condition=Q(state__in=["queued", "retrying", "running"]),
                name="assessment_by_turn",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_state_display()} · {self.user_message[:60]}"

    @property
    def waits_for_its_span(self) -> bool:
        """True if the exchange will be assessed when its topic ends."""
        return self.state == State.QUEUED and bool(self.part_of_id or self.span_ends_at)

    @cached_property
    def lessons(self) -> list[Lesson]:
        """The lessons, in order; `lessons_of` reads those of many exchanges at once."""
        return lessons_taught_by(self)

    @property
    def memories(self) -> list[Memory]:
        """The memories that the exchange taught, in order."""
        return [lesson.memory for lesson in self.lessons]

    @property
    def memory(self) -> Memory | None:
        """The first of these memories."""
        return self.lessons[0].memory if self.lessons else None

    @property
    def is_finished(self) -> bool:
        """True if the exchange was assessed or skipped, or has failed."""
        return self.state in {State.DONE, State.IGNORED, State.FAILED}


class GateCount(SpaceRow):
    """The number of requests that the gate kept from the assessor on one day, by reason.

    Their texts are not stored.
    """

    space = models.ForeignKey("accounts.Space", models.CASCADE, related_name="+")
    day = models.DateField(_("day"))
    reason = models.CharField(_("reason"), max_length=20)
    count = models.PositiveIntegerField(_("requests"), default=1)

    class Meta:
        verbose_name = _("requests that were not assessed")
        verbose_name_plural = _("requests that were not assessed")
        constraints = [
            models.UniqueConstraint(
                fields=["space", "day", "reason"], name="gate_count_once_per_day"
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} · {self.reason} · {self.count}"
