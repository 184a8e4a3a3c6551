"""Proposals to consolidate memories, and the links from old memories to what they became."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from accounts.models.personal import PersonalQuerySet, user_field
from accounts.models.space_rows import SpaceRow


class ProposalKind(models.TextChoices):
    """The change of the sources that a proposal asks for."""

    MERGE = "merge", _("same fact")
    SUMMARISE = "summarise", _("summary")
    CONTRADICTION = "contradiction", _("contradiction")


class ProposalState(models.TextChoices):
    """Transitions: open → applied | rejected; applied → undone."""

    OPEN = "open", _("open")
    APPLIED = "applied", _("applied")
    REJECTED = "rejected", _("rejected")
    UNDONE = "undone", _("undone")


class ProposalQuerySet(PersonalQuerySet["ConsolidationProposal"]):
    """Queries on proposals; each begins with `in_space`."""

    def in_space(self, space: Space) -> ProposalQuerySet:
        """Return the proposals of this space."""
        return self.filter(space_id=space.pk)

    def of_job(self, job_id: uuid.UUID) -> ProposalQuerySet:
        """Return the proposals that this job made."""
        return self.filter(job_id=job_id)

    def open(self) -> ProposalQuerySet:
        """Return the proposals that nobody has decided about."""
        return self.filter(state=ProposalState.OPEN)

    def applied(self) -> ProposalQuerySet:
        """Return the proposals whose sources were consolidated."""
        return self.filter(state=ProposalState.APPLIED)

    def naming(self, *memory_ids: uuid.UUID) -> ProposalQuerySet:
        """Return the proposals with one of these memories as a source or as the result."""
        ids = list(memory_ids)
        return self.filter(Q(sources__overlap=ids) | Q(result_id__in=ids))


class ConsolidationProposal(SpaceRow):
    """A proposal to replace memories of one user by one memory, and what was decided about it.

    `sources` are the memories' ids, oldest first, and `revisions` their revisions at the time of
    the proposal. `result` has the new memory's content, memory_type and importance. It is null for
    a contradiction in which the last source stays and replaces the others. `result_id` is the
    memory that the sources became; it is one of the sources if that one stayed.

    Ids are plain values, so that a purged memory or a forgotten job leaves the other links intact.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="+", verbose_name=_("space")
    )
    user_id = user_field()
    job_id = models.UUIDField()
    kind = models.CharField(_("kind"), max_length=13, choices=ProposalKind)
    state = models.CharField(
        _("state"), max_length=8, choices=ProposalState, default=ProposalState.OPEN
    )
    sources = ArrayField(models.UUIDField(), verbose_name=_("sources"))
    revisions = ArrayField(models.PositiveIntegerField())
    result = models.JSONField(_("result"), null=True)
    # Of a summary: each sentence with the ids of its sources, [{"text": …, "sources": […]}, …].
    sentences = models.JSONField(default=list)
    confidence = models.FloatField(_("confidence"))
    created_at = models.DateTimeField(_("created"), default=timezone.now)
    decided_at = models.DateTimeField(_("decided"), null=True)
    action_id = models.UUIDField(null=True)
    result_id = models.UUIDField(null=True)

    objects: ClassVar[models.Manager[ConsolidationProposal]] = ProposalQuerySet.as_manager()

    class Meta:
        verbose_name = _("consolidation proposal")
        verbose_name_plural = _("consolidation proposals")
        indexes = [
            models.Index(fields=["space", "state", "-created_at", "id"], name="proposal_by_state"),
            models.Index(fields=["space", "job_id"], name="proposal_by_job"),
            models.Index(fields=["space", "action_id"], name="proposal_by_action"),
            models.Index(fields=["space", "result_id"], name="proposal_by_result"),
            GinIndex(fields=["sources"], name="proposal_by_source"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} · {len(self.sources)} · {self.state}"

    @property
    def removed(self) -> list[uuid.UUID]:
        """The sources that move to the bin: all, or all but the last if that one stays."""
        return self.sources[:-1] if self.keeps_last else self.sources

    @property
    def keeps_last(self) -> bool:
        """True if the last source stays and replaces the others."""
        if self.state == ProposalState.OPEN:
            return self.result is None
        return self.result_id in self.sources
