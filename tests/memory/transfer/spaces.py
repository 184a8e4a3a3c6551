"""Spaces that are filled, written as a file, read again, and compared."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import GeneratedField
from django.utils import timezone

from accounts.models import Embedder, Space
from foundation.actors import SYSTEM
from foundation.readers import EVERYONE
from memory.jobs import services as jobs
from memory.jobs.running import work_at
from memory.models import Job, MemoryEmbedding
from memory.spaces.services import create_space
from memory.transfer.export import export_lines
from memory.transfer.sections import sections
from memory.transfer.upload import start_import
from tests.memory.writing import ALICE, NOW

Rows = dict[str, list[dict[str, Any]]]


def new_space(slug: str) -> Space:
    return create_space(slug=slug, name=slug, embedder=Embedder.objects.get(), actor=SYSTEM)


def exported(space: Space) -> bytes:
    return "".join(export_lines(space, EVERYONE, now=NOW)).encode()


def begun(
    space: Space, file: bytes | Iterable[bytes], on_error: str = "skip", now: datetime = NOW
) -> Job:
    """An import that a worker has just taken."""
    chunks = [file] if isinstance(file, bytes) else file
    job = start_import(space=space, chunks=chunks, on_error=on_error, actor=ALICE, now=now)
    taken = jobs.claim_job(space_id=space.pk, job_id=job.pk, now=timezone.now())
    assert taken is not None
    return taken


def imported(space: Space, file: bytes | Iterable[bytes], on_error: str = "skip") -> Job:
    """An import that has ended."""
    job = begun(space, file, on_error)
    work_at(job)
    return Job.objects.get(pk=job.pk)


def contents(space: Space) -> Rows:
    """Every row of the space, table by table, but for what says which space it is."""
    rows: Rows = {}
    for section in sections():
        columns = [
            field.attname
            for field in section.model._meta.concrete_fields
            if field.attname not in {"space_id", *section.left_out - {"search", "short_id"}}
            and (section.has_ids or field.attname != "id")
            and not isinstance(field, GeneratedField)
        ]
        found = section.model._base_manager.filter(space_id=space.pk)
        rows[section.kind] = list(found.order_by(*section.order).values(*columns))
    vectors = MemoryEmbedding.objects.filter(space=space).order_by("memory_id")
    rows["vector"] = [
        {"memory_id": id_, "vector": list(vector)}
        for id_, vector in vectors.values_list("memory_id", "vector")
    ]
    return rows


def empty(space: Space) -> None:
    """Takes everything out of the space, as if it had been deleted with all it held."""
    MemoryEmbedding.objects.filter(space=space).delete()
    for section in reversed(list(sections())):
        rows = section.model._base_manager.filter(space_id=space.pk)
        rows._raw_delete("default")  # the history's own manager would refuse


def unlike(one: Rows, other: Rows) -> list[str]:
    """The tables in which they differ."""
    return [kind for kind in one if one[kind] != other[kind]]
