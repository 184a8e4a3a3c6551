"""The switch of a space to another embedding model, without interrupting search.

Vectors of both models exist side by side: a job embeds existing memories, writers embed new
memories with both models (embeddings.services), and search uses the old model. Once every memory
has a new vector, one transaction switches the space. The old vectors are removed some minutes
later, because requests that began before the switch still search them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from time import perf_counter
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_noop as _

from accounts.audit import note
from accounts.models import AuditAction, Embedder, Space
from foundation.actors import Actor
from foundation.database.leases import database_now
from foundation.database.locks import lock
from foundation.errors import Conflict, NotFound
from memory.embeddings import provider_name
from memory.embeddings.embedders import register_embedder
from memory.embeddings.services import hold_models, insert_vectors
from memory.embeddings.vectors import Vectors, embed_memories
from memory.jobs import services as jobs
from memory.models import FurtherEmbedding, Job, JobState, Memory, MemoryEmbedding
from memory.text.passages import passage_of

KIND = "switch_embedder"
BATCH, CHARACTERS = 32, 60_000
"""Memories of a batch, and the characters after which it ends: it takes far less than a lease, also
on a slow machine."""
GRACE = timedelta(minutes=10)
DROPPED_AT_ONCE = 5000

_TEXT = ("content", "source_speaker", "created_at", "revision", "space_id")


@dataclass(frozen=True)
class Trial:
    """The result of trying a model with a few texts."""

    embedder: Embedder
    took_ms: float
    memories: int
    estimate: timedelta


def try_embedder(*, space: Space, provider: str, model: str) -> Trial:
    """Embed a few of the space's own texts; only the model's row is stored.

    Raises EmbeddingError if the model cannot be used.
    """
    embedder = register_embedder(provider=provider, model=model)
    rows = Memory.objects.in_space(space)
    texts = [passage_of(memory).embedded for memory in rows.order_by("pk")[:BATCH]]
    started = perf_counter()
    embed_memories(embedder, texts or ["Does it answer?"], space=space)
    seconds = perf_counter() - started
    memories = rows.count()
    estimate = timedelta(seconds=seconds * memories / max(len(texts), 1))
    return Trial(embedder, seconds * 1000, memories, estimate)


def start_switch(*, space: Space, embedder: Embedder, actor: Actor, now: datetime) -> Job:
    """Start the job that moves the space to this model. Raises Conflict if the space uses the model
    already or another move is running.
    """
    with transaction.atomic():
        held = Space.objects.select_for_update(no_key=True).get(pk=space.pk)
        if held.embedder_id == embedder.pk:
            raise Conflict(_("The space already uses this model."))
        job = jobs.start_job(
            space=space,
            kind=KIND,
            parameters={"from": held.embedder_id, "to": embedder.pk},
            actor=actor,
            now=now,
            total=Memory.objects.in_space(space).count(),
        )
        Space.objects.filter(pk=space.pk).update(next_embedder=embedder)
        note(
            space=space, actor=actor, action=AuditAction.EMBEDDER_CHOSEN, subject=embedder.model,
            now=now, detail={"provider": str(provider_name(embedder.provider))},
        )  # fmt: skip
    return job


def cancel_switch(*, space: Space, now: datetime) -> Job:
    """Cancel the move and remove the new vectors. Raises NotFound without an unfinished move.

    The job can be resumed; it then embeds all memories again.
    """
    job = latest_switch(space)
    if job is None or job.state in {JobState.DONE, JobState.CANCELLED}:
        raise NotFound(_("No move to another embedding model is running in this space."))
    jobs.cancel(space=space, job_id=job.pk, now=now)
    Space.objects.filter(pk=space.pk).update(next_embedder=None)
    _drop_vectors(space, job.parameters["to"])
    return Job.objects.in_space(space).get(pk=job.pk)


def resume_switch(*, space: Space, now: datetime) -> Job:
    """Resume a failed or cancelled move. Raises NotFound, or Conflict if it has not stopped."""
    job = latest_switch(space)
    if job is None:
        raise NotFound(_("This space has never been moved to another embedding model."))
    return jobs.resume(space=space, job_id=job.pk, now=now)


def latest_switch(space: Space) -> Job | None:
    """Return the space's newest job of this kind, or None."""
    return Job.objects.in_space(space).latest_of(KIND)


def switch(job: Job) -> Mapping[str, Any]:
    """Do the job: embed memories without a vector, then change over.

    Raises JobStopped, EmbeddingError, and Conflict if the space uses the model already.
    """
    target = Embedder.objects.get(pk=job.parameters["to"])
    _begin(job, target)
    after: UUID | None = None
    while True:
        batch = _next_batch(job.space, target, after)
        if batch:
            after = batch[-1].pk
            texts = [passage_of(memory).embedded for memory in batch]
            vectors = embed_memories(target, texts, space=job.space)
            _keep(job, target, batch, vectors)
        elif after is not None:
            after = None  # start over: ids are random, so new memories may come anywhere
        elif _change_over(job, target):
            return {}


@transaction.atomic
def _begin(job: Job, target: Embedder) -> None:
    """Make writers embed by both models from here on, also when a cancelled job was resumed."""
    held = Space.objects.select_for_update(no_key=True).get(pk=job.space_id)
    if held.embedder_id == target.pk:
        raise Conflict(_("The space already uses this model."))
    Space.objects.filter(pk=held.pk).update(next_embedder=target)
    total = Memory.objects.in_space(held).count()
    missing = Memory.objects.in_space(held).without_vector_by(target).count()
    jobs.advance(job=job, done=total - missing, total=total, result={}, now=database_now())


def _next_batch(space: Space, target: Embedder, after: UUID | None) -> Sequence[Memory]:
    rows = Memory.objects.in_space(space).without_vector_by(target)
    if after is not None:
        rows = rows.filter(pk__gt=after)
    batch = list(rows.only(*_TEXT).order_by("pk")[:BATCH])
    ends = accumulate(len(memory.content) for memory in batch)
    return batch[: 1 + sum(end <= CHARACTERS for end in ends)]


@transaction.atomic
def _keep(job: Job, target: Embedder, batch: Sequence[Memory], vectors: Iterable[Vectors]) -> None:
    """Write the vectors of memories with unchanged text; the others are embedded again later."""
    same = Q(pk__in=[])
    for memory in batch:
        same |= Q(pk=memory.pk, revision=memory.revision)
    rows = Memory.objects.in_space(job.space).filter(same).order_by("pk")
    held = set(rows.select_for_update(no_key=True).values_list("pk", flat=True))
    made = [pair for pair in zip(batch, vectors, strict=True) if pair[0].pk in held]
    insert_vectors(hold_models(job.space), target.pk, made, known=True)
    # Memories are added and removed meanwhile; the count is exact again when the job is done.
    done = min(job.done + len(made), job.total or 0)
    jobs.advance(job=job, done=done, now=database_now())


@transaction.atomic
def _change_over(job: Job, target: Embedder) -> bool:
    """Switch the space to the new model if every memory has its vector; return True if it did.

    Waits for current writers of vectors and blocks further ones.
    """
    lock(job.space_id, "vectors")
    held = Space.objects.select_for_update(no_key=True).get(pk=job.space_id)
    if Memory.objects.in_space(held).without_vector_by(target).exists():
        return False
    Space.objects.filter(pk=held.pk).update(embedder=target, next_embedder=None)
    total = Memory.objects.in_space(held).count()
    jobs.advance(job=job, done=total, total=total, now=database_now())
    return True


def clear_after_switches(*, now: datetime) -> None:
    """Remove vectors of models that spaces have left, or did not change over to. Run by beat."""
    ended = Job.objects.filter(kind=KIND, ended_at__lte=now - GRACE)
    for job in ended.exclude(result__has_key="dropped").select_related("space"):
        latest = latest_switch(job.space) == job
        if job.state == JobState.FAILED and latest:
            continue  # it can still be resumed
        if job.state == JobState.CANCELLED and latest:
            Space.objects.filter(pk=job.space_id).update(next_embedder=None)
        left = "from" if job.state == JobState.DONE else "to"
        dropped = _drop_vectors(job.space, job.parameters[left])
        Job.objects.filter(space_id=job.space_id, pk=job.pk, state=job.state).update(
            result={**job.result, "dropped": dropped}
        )


def _drop_vectors(space: Space, embedder_id: int) -> int:
    """Remove a model's vectors, unless the space uses it or moves to it; return their number."""
    dropped = _drop_some(MemoryEmbedding, space, embedder_id)
    _drop_some(FurtherEmbedding, space, embedder_id)
    return dropped


def _drop_some(
    table: type[MemoryEmbedding | FurtherEmbedding], space: Space, embedder_id: int
) -> int:
    vectors = table._default_manager.filter(space_id=space.pk, embedder_id=embedder_id)
    dropped = 0
    while True:
        with transaction.atomic():
            held = Space.objects.select_for_update(no_key=True).get(pk=space.pk)
            if embedder_id in {held.embedder_id, held.next_embedder_id}:
                return dropped
            ids = list(vectors.values_list("pk", flat=True)[:DROPPED_AT_ONCE])
            vectors.filter(pk__in=ids).delete()
        dropped += len(ids)
        if len(ids) < DROPPED_AT_ONCE:
            return dropped
