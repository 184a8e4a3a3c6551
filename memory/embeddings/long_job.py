"""The job that embeds the groups of sentences of long memories which an earlier version wrote; a
migration starts it in each space that has some."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Length
from django.utils.translation import gettext_lazy as _

from memory.embeddings.services import hold_models, insert_further
from memory.embeddings.vectors import Vectors, embed_memories
from memory.jobs import services as jobs
from memory.jobs.kinds import Labels
from memory.leases import database_now
from memory.models import Job, MemoryEmbedding
from memory.text.passages import passage_of

KIND = "embed_long"
LABELS = Labels(_("Vectors of long memories"), {"memories": _("memories")})
BATCH = 4  # memories of up to 20,000 characters; a batch takes far less than a lease
LONG = 500
"""Characters; shorter memories fit into one vector."""


def embed_long(job: Job) -> Mapping[str, Any]:
    """Do the job; return the number of memories that got vectors. Raises EmbeddingError."""
    after: UUID | None = None
    while batch := _next_batch(job, after):
        after = batch[-1].memory_id
        texts = [passage_of(vector.memory).embedded for vector in batch]
        _keep(job, batch, embed_memories(job.space.embedder, texts, space=job.space))
    return {"memories": job.result.get("memories", 0)}


def _next_batch(job: Job, after: UUID | None) -> Sequence[MemoryEmbedding]:
    vectors = MemoryEmbedding.objects.in_space(job.space).made_by(job.space.embedder)
    long = vectors.filter(further=0).alias(size=Length("memory__content")).filter(size__gt=LONG)
    if after is not None:
        long = long.filter(memory_id__gt=after)
    return list(long.select_related("memory").defer("memory__search").order_by("memory_id")[:BATCH])


@transaction.atomic
def _keep(job: Job, batch: Sequence[MemoryEmbedding], made: Sequence[Vectors]) -> None:
    """Write the vectors of the memories that nobody has changed meanwhile."""
    held, rows = hold_models(job.space), MemoryEmbedding.objects.in_space(job.space)
    same = rows.filter(pk__in=[vector.pk for vector in batch], further=0).select_for_update()
    ids, count = set(same.values_list("pk", flat=True)), job.result.get("memories", 0)
    for vector, (_whole, *further) in zip(batch, made, strict=True):
        if vector.pk in ids and further:
            insert_further(held, vector.embedder_id, [(vector.memory, further)])
            rows.filter(pk=vector.pk).update(further=len(further))
            count += 1
    done, result = job.done + len(batch), {"memories": count}
    jobs.advance(job=job, done=done, result=result, now=database_now())
