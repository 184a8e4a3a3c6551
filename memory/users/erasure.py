"""Erasure of a user: a job deletes every row of theirs in batches and counts the rows.

Rows that refer to other rows are deleted first. Another round finds the rows that workers wrote
meanwhile; the job ends when a round finds nothing. Nothing can be restored.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from accounts.audit import note
from accounts.models import AuditAction, Space, WebhookEvent
from foundation.actors import Actor
from foundation.database.leases import database_now
from foundation.errors import NotFound
from foundation.readers import Reader
from memory.jobs import services as jobs
from memory.jobs.kinds import Labels
from memory.models import ConsolidationProposal, Job, WebhookDelivery
from memory.transfer.sections import sections
from memory.webhooks.services import emit

KIND = "erase_user"
BATCH = 500  # rows
DELIVERIES = "webhook_deliveries"
PROPOSALS = "consolidation_proposals"
_NAMES = {
    "memory": "memories",
    "revision": "revisions",
    "event": "history",
    "mark": "relevance_marks",
    "conversation": "conversations",
    "message": "messages",
    "assessment": "assessments",
    "lesson": "lessons",
}
"""The sections' names in a receipt; another section has its own name."""
LABELS = Labels(
    _("Erasure of a user"),
    {
        "memories": _("memories"),
        "revisions": _("earlier texts"),
        "history": _("history entries"),
        "conversations": _("conversations"),
        "messages": _("messages"),
        "assessments": _("assessments"),
        "lessons": _("lessons"),
        DELIVERIES: _("webhook messages"),
        PROPOSALS: _("consolidation proposals"),
    },
    refreshes_page=True,
)

Table = tuple[str, type[Model], str]
"""The name in the receipt, the table, and the path to the column with the user."""


@transaction.atomic
def start_erasure(*, space: Space, user_id: str, actor: Actor, now: datetime) -> Job:
    """Start the erasure of a user and note who asked for it.

    Raises NotFound if nothing in the space is theirs, Conflict while another erasure runs.
    """
    total = sum(_rows(space, table, user_id).count() for table in _tables())
    if not total:
        raise NotFound("Nothing in this space belongs to this user.")
    given = {"user_id": user_id}
    job = jobs.start_job(
        space=space, kind=KIND, parameters=given, actor=actor, now=now, total=total
    )
    note(space=space, actor=actor, action=AuditAction.USER_ERASED, subject=user_id, now=now)
    return job


def erase(job: Job) -> Mapping[str, Any]:
    """Erase the job's user; return the receipt: the user, the time, and the number of rows of each
    table. Raises JobStopped."""
    receipt: dict[str, Any] = {
        "user_id": job.parameters["user_id"],
        **{name: 0 for name, _table, _path in _tables()},
        **job.result,
    }
    while sum([_erase_table(job, table, receipt) for table in _tables()]):
        pass
    return receipt if "erased_at" in receipt else _announce(job, receipt)


@transaction.atomic
def _announce(job: Job, receipt: Mapping[str, Any]) -> Mapping[str, Any]:
    """Write the messages to webhooks, once: the job records the time with them. Return the receipt
    with the time."""
    now = database_now()
    ended = {**receipt, "erased_at": now.isoformat()}
    jobs.advance(job=job, done=job.done, result=ended, now=now)
    # The message is a row of the space: if it were the user's, another erasure would find it.
    data = {"user_id": job.parameters["user_id"], "job_id": str(job.pk)}
    emit(space_id=job.space_id, event=WebhookEvent.USER_ERASED, data=data, now=now)
    return ended


def _erase_table(job: Job, table: Table, receipt: dict[str, Any]) -> int:
    """Erase the user's rows of one table; return their number."""
    before = receipt[table[0]]
    while _step(job, table, receipt):
        pass
    return int(receipt[table[0]] - before)


@transaction.atomic
def _step(job: Job, table: Table, receipt: dict[str, Any]) -> int:
    """Delete one batch and record the job's progress; return the number of rows."""
    name, model, _path = table
    rows = _rows(job.space, table, job.parameters["user_id"])
    ids = list(rows.values_list("pk", flat=True)[:BATCH])
    if ids:
        model._base_manager.filter(space_id=job.space_id, pk__in=ids).delete()
        receipt[name] += len(ids)
        done = job.done + len(ids)
        total = max(job.total or 0, done)
        jobs.advance(job=job, done=done, total=total, result=receipt, now=database_now())
    return len(ids)


def _tables() -> Iterator[Table]:
    """Return the tables with rows of users, each before the tables that its rows refer to. Webhook
    messages come last: they are made of the history."""
    for section in reversed(list(sections())):
        if section.owner:
            yield _NAMES.get(section.kind, section.kind), section.model, section.owner
    yield DELIVERIES, WebhookDelivery, "user_id"
    yield PROPOSALS, ConsolidationProposal, "user_id"


def _rows(space: Space, table: Table, user_id: str) -> Any:
    _name, model, path = table
    own = Reader.exactly(user_id).where(path)
    return model._base_manager.filter(own, space_id=space.pk)
