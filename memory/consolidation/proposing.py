"""Saving proposals, and reading them for the API and for pages."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.models import Space
from foundation.readers import EVERYONE, Reader
from memory.consolidation.grouping import Group
from memory.models import ConsolidationProposal, Job, Memory, ProposalKind, ProposalState
from memory.models.choices import MemoryType


def scope_of(job: Job) -> Reader:
    """Return the reader for whose memories a job makes proposals."""
    user_id: str | None = job.parameters["user_id"]
    return EVERYONE if job.parameters["everyone"] else Reader.exactly(user_id)


def propose(*, job: Job, group: Group, now: datetime) -> ConsolidationProposal | None:
    """Save the proposal to consolidate a group; None if a person has rejected or undone it, alone
    or with more sources."""
    sources = [memory.pk for memory in group.sources]
    decided = [ProposalState.REJECTED, ProposalState.UNDONE]
    before = ConsolidationProposal.objects.in_space(job.space).filter(state__in=decided)
    if before.filter(kind=group.kind, sources__contains=sources).exists():
        return None
    return ConsolidationProposal.objects.create(
        space=job.space,
        user_id=group.sources[0].user_id,
        job_id=job.pk,
        kind=group.kind,
        sources=sources,
        revisions=[memory.revision for memory in group.sources],
        result=_result(group),
        sentences=[
            {"text": one.text, "sources": [str(pk) for pk in one.sources]}
            for one in group.sentences
        ],
        confidence=group.confidence,
        created_at=now,
    )


def _result(group: Group) -> dict[str, Any] | None:
    """Return the content, type and importance of the new memory; None if a source stays."""
    if group.content is None:
        return None
    worded = [one for one in group.sources if one.content == group.content]
    leading = max(worded or group.sources, key=lambda one: one.importance)
    summary = group.kind == ProposalKind.SUMMARISE
    return {
        "content": group.content,
        "memory_type": str(MemoryType.OBSERVATION) if summary else leading.memory_type,
        "importance": max(one.importance for one in group.sources),
    }


def discard_open(*, space: Space, reader: Reader) -> None:
    """Delete the open proposals of earlier jobs about this reader's memories: a new job makes them
    again from the memories as they are now."""
    rows = ConsolidationProposal.objects.in_space(space).readable_by(reader)
    rows.open().delete()


def details(job: Job, reader: Reader) -> Mapping[str, Any]:
    """Return the part of a job's result that tells what memories say: its proposals, as far as the
    reader sees their memories."""
    rows = ConsolidationProposal.objects.in_space(job.space).readable_by(reader).of_job(job.pk)
    found = rows.order_by("kind", "-confidence", "pk")
    return {"proposals": [_shown(one) for one in found]}


def _shown(proposal: ConsolidationProposal) -> dict[str, Any]:
    return {
        "id": str(proposal.pk),
        "kind": proposal.kind,
        "state": proposal.state,
        "sources": [str(pk) for pk in proposal.sources],
        "result": proposal.result,
        "sentences": proposal.sentences,
        "confidence": round(proposal.confidence, 3),
    }


def erase(space: Space, memories: Sequence[Memory]) -> None:
    """Erase the texts of purged memories from proposals. Proposals that were applied keep the links
    between the other memories."""
    ids: list[UUID] = [memory.pk for memory in memories]
    rows = ConsolidationProposal.objects.in_space(space).naming(*ids)
    rows.applied().update(result=None, sentences=[])
    rows.exclude(state=ProposalState.APPLIED).delete()
