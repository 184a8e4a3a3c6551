"""The job that remembers a document: each passage is a step, assessed and stored at once.

Memories worth keeping wait for review (assessor.saving.remembering), marked with the document's
name. A document that was read before adds nothing.
"""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import Space
from assessor.assessing import AssessmentResult, Exchange
from assessor.documents.passages import Passage, passages_of
from assessor.documents.reading import UnreadableDocument, texts_of
from assessor.models import Assessment
from assessor.outbox.services import store_assessed
from assessor.saving.immediate import assess_now
from assessor.screening import assessed_part, mask_exchange
from foundation.actors import Actor
from foundation.database.connections import release_connection
from foundation.database.leases import database_now
from foundation.moments import in_zone, stored_zone, zone_name
from memory.drafts import DOCUMENT
from memory.jobs import services as jobs
from memory.jobs.kinds import Labels
from memory.model_connections.choosing import chosen_model
from memory.models import Job, Purpose
from memory.models.policies import current_policy
from memory.transfer import upload

KIND = "document"
MAX_NAME = 100  # characters of the document's name
LABELS = Labels(
    _("Document"),
    {
        "review": _("sent to review"),
        "ignored": _("not saved"),
        "known": _("already known"),
    },
    needs_file=True,
)


@transaction.atomic
def start_document(
    *,
    space: Space,
    name: str,
    chunks: Iterable[bytes],
    user_id: str | None,
    actor: Actor,
    now: datetime,
) -> Job:
    """Store a document and start its job; with a `user_id` its memories are this user's. Its days
    are those of the zone of `now`.

    Raises Conflict while another document is read, InvalidArguments if the file is empty.
    """
    parameters = {"name": name[-MAX_NAME:], "user_id": user_id, "time_zone": zone_name(now)}
    job = jobs.start_job(space=space, kind=KIND, parameters=parameters, actor=actor, now=now)
    upload.store_file(job, chunks)
    return job


def remember_document(job: Job) -> Mapping[str, Any]:
    """Assess the passages from the job's position on; return how many were sent to review, not
    saved, or already known.

    Raises UnreadableDocument, JobStopped, or AssessmentError if the model did not answer.
    """
    data = b"".join(upload.read(job))
    try:
        passages = passages_of(texts_of(job.parameters["name"], data))
    except UnreadableDocument:
        upload.forget(job)
        raise
    mark = sha256(data).hexdigest()
    for number in range(job.done, len(passages)):
        found = _assessed(job, passages[number], f"document:{mark}:{number}")
        _end_step(job, found, number + 1, len(passages))
    upload.forget(job)
    return dict(job.result)


_Found = tuple[Exchange, AssessmentResult, str] | None


def _assessed(job: Job, passage: Passage, key: str) -> _Found:
    """Return the passage with its result and key; None if it was assessed before."""
    if owner := job.parameters["user_id"]:
        key += f":{sha256(owner.encode()).hexdigest()}"
    if Assessment.objects.in_space(job.space).filter(idempotency_key=key).exists():
        return None
    policy = current_policy(job.space).document
    chosen = chosen_model(Purpose.ASSESS, job.space)
    exchange = _exchange(job, passage)
    if policy.assessment.mask_secrets:
        exchange = mask_exchange(exchange)
    release_connection()
    result = asyncio.run(assess_now(job.space, assessed_part(exchange), policy, chosen))
    return exchange, result, key


def _exchange(job: Job, passage: Passage) -> Exchange:
    source = {"document": job.parameters["name"], "page": passage.page}
    return Exchange(
        passage.text, source_role=DOCUMENT, user_id=job.parameters["user_id"], metadata=source
    )


@transaction.atomic
def _end_step(job: Job, found: _Found, done: int, total: int) -> None:
    """Store an assessed passage, and count it in the job."""
    now = database_now()
    counted = {**dict.fromkeys(LABELS.counts, 0), **job.result}
    outcome = "known"
    if found is not None:
        exchange, result, key = found
        stored = store_assessed(
            space=job.space,
            exchange=exchange,
            result=result,
            now=in_zone(now, stored_zone(job.parameters.get("time_zone", ""))),
            idempotency_key=key,
        )
        outcome = "ignored" if stored.memory is None else "review"
    counted[outcome] += 1
    jobs.advance(job=job, done=done, total=total, result=counted, now=now)
