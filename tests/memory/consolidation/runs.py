"""A run of consolidation in few words."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from accounts.models import Space
from foundation.actors import SYSTEM
from foundation.readers import EVERYONE, Reader
from memory.consolidation.consolidation_job import start_consolidation
from memory.jobs.running import work_at
from memory.models import ConsolidationProposal, Job, Memory
from tests.memory.claiming import claimed
from tests.memory.writing import NOW, remember

DAY = timedelta(days=1)
PENICILLIN = ("User is allergic to penicillin", "The user has a penicillin allergy")
TRAINING = (
    "User began to train with Coach Ines for the Valencia marathon in March.",
    "User ran 18 kilometres along the river with Tom.",
    "User bought Falcon running shoes for 120 euros.",
    "User's left knee hurt after the hill near Sintra.",
    "User was happy about that.",
)
MOVING = (
    "User packed 30 boxes of books with Clara on Saturday.",
    "User's landlord in Braga wants two keys back.",
    "User's lamp from Copenhagen broke in the van.",
    "User painted the new kitchen yellow.",
    "User was tired of all that.",
)


def said(space: Space, *texts: str, at: datetime = NOW, **draft: Any) -> list[Memory]:
    """Memories a day apart, oldest first."""
    return [
        remember(space, text, created_at=at + number * DAY, **draft)
        for number, text in enumerate(texts)
    ]


def episode(
    space: Space,
    conversation_id: str = "c1",
    texts: Sequence[str] = TRAINING,
    **draft: Any,
) -> list[Memory]:
    """Small observations of one conversation, a minute apart."""
    return [
        remember(
            space,
            text,
            created_at=NOW + timedelta(minutes=number),
            memory_type="observation",
            source={"conversation_id": conversation_id},
            **draft,
        )
        for number, text in enumerate(texts)
    ]


def started(space: Space, reader: Reader = EVERYONE, *, applies: bool = False) -> Job:
    """A job in the hands of this worker."""
    now = timezone.now()
    job = start_consolidation(space=space, reader=reader, actor=SYSTEM, now=now, applies=applies)
    return claimed(job)


def run(space: Space, reader: Reader = EVERYONE, *, applies: bool = False) -> Job:
    """A job that has ended."""
    job = started(space, reader, applies=applies)
    work_at(job)
    job.refresh_from_db()
    return job


def proposals(job: Job) -> list[ConsolidationProposal]:
    """Return a job's proposals, in the order in which it found them."""
    rows = ConsolidationProposal.objects.filter(space_id=job.space_id, job_id=job.pk)
    return list(rows.order_by("created_at", "pk"))


def proposed(space: Space, reader: Reader = EVERYONE) -> list[ConsolidationProposal]:
    """Return the proposals of a new job."""
    return proposals(run(space, reader))
