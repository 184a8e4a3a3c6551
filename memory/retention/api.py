"""JSON API of the recycle bin: listing, restoring and purging memories."""

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status

from accounts.authentication import access_to
from foundation.http.pagination import clock_of, keyset
from foundation.http.requests import MemoryId, PageIn, may_fail
from memory.models import Memory
from memory.models.dated import purge_at
from memory.models.policies import current_policy
from memory.references import changeable, check_change, many, readable
from memory.retention import recycle_bin as services
from memory.retention.removals import consolidated_into
from memory.retention.schemas import BinList, RestoreIn, RestoreOut

router = Router(tags=["recycle bin"])


@router.get(
    "recycle-bin", response=BinList, url_name="recycle_bin_list", operation_id="listRecycleBin"
)
def list_recycle_bin(request: HttpRequest, asked: Query[PageIn]) -> dict[str, object]:
    """List the memories in the recycle bin, the latest deletion first."""
    access = access_to(request, "read")
    as_of = clock_of(asked.cursor, default=timezone.now())
    bin_days = current_policy(access.space).document.bin_days
    rows = readable(access.space, access.reader, as_of=as_of).binned()
    rows = rows.annotate(purge_at=purge_at(Memory.objects.all(), bin_days))
    items, following = keyset("-binned_at", nulls=False).page(
        rows, limit=asked.limit, cursor=asked.cursor, as_of=as_of
    )
    became = consolidated_into(items, access.space)
    for memory in items:
        vars(memory)["consolidated_into"] = became.get(memory.pk)
    return {"items": items, "next": following}


@router.post(
    "recycle-bin/restore",
    response=RestoreOut,
    url_name="recycle_bin_restore",
    operation_id="restoreMemories",
    openapi_extra=may_fail(404, 409),
)
def restore_memories(request: HttpRequest, asked: RestoreIn) -> dict[str, object]:
    """Restore memories from the recycle bin, all or none. Each memory's lifetime restarts."""
    access = access_to(request, "write")
    binned = many(access.space, access.reader, asked.ids)
    check_change(access.reader, *binned)
    ids = [memory.pk for memory in binned]
    services.restore_memories(
        space=access.space, memory_ids=ids, actor=access.actor, now=timezone.now()
    )
    return {"items": list(readable(access.space, access.reader).filter(pk__in=ids).order_by("pk"))}


@router.delete(
    "recycle-bin/{id}",
    response={204: None},
    url_name="recycle_bin_purge",
    operation_id="purgeMemory",
    openapi_extra=may_fail(409),
)
def purge_memory(request: HttpRequest, id: MemoryId) -> Status[None]:
    """Permanently delete a memory from the recycle bin. Its text is erased, in the history too."""
    access = access_to(request, "write")
    memory = changeable(access.space, access.reader, id)
    services.purge_memory(
        space=access.space, memory_id=memory.pk, actor=access.actor, now=timezone.now()
    )
    return Status(204, None)
