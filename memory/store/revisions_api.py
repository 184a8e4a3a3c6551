"""JSON API of revisions and reverting."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router

from accounts.authentication import access_to
from foundation.http.requests import MemoryId, may_fail
from memory.models import Memory, MemoryRevision
from memory.references import changeable, one, readable
from memory.store.revision_schemas import RevertIn, RevisionList, RevisionListIn
from memory.store.revisions import revert_memory
from memory.store.schemas import MemoryOut

router = Router(tags=["memories"])

_SHOWN = ("content", "memory_type", "importance", "facets", "tags", "topics")


@router.get(
    "memories/{id}/revisions",
    response=RevisionList,
    url_name="memories_revisions",
    operation_id="listRevisions",
)
def list_revisions(
    request: HttpRequest, id: MemoryId, asked: Query[RevisionListIn]
) -> dict[str, Any]:
    """List the memory's revisions with the current one, newest first."""
    access = access_to(request, "read")
    memory = one(access.space, access.reader, id)
    past = MemoryRevision.objects.filter(space_id=access.space.pk, memory_id=memory.pk)
    items = []
    if asked.cursor is None:
        now = {"revision": memory.revision, "replaced_at": None, "reason": "", "actor": None}
        items.append(_shown(memory) | now)
    else:
        past = past.filter(number__lt=int(asked.cursor))
    items += map(_replaced, past.order_by("-number")[: asked.limit + 1 - len(items)])
    page = items[: asked.limit]
    return {"items": page, "next": str(page[-1]["revision"]) if items[asked.limit :] else None}


def _shown(said: Memory | MemoryRevision) -> dict[str, Any]:
    return {name: getattr(said, name) for name in _SHOWN}


def _replaced(row: MemoryRevision) -> dict[str, Any]:
    return _shown(row) | {
        "revision": row.number,
        "replaced_at": row.replaced_at,
        "reason": row.reason,
        "actor": {"type": row.actor_type, "name": row.actor_name},
    }


@router.post(
    "memories/{id}/revert",
    response=MemoryOut,
    url_name="memories_revert",
    operation_id="revertMemory",
    openapi_extra=may_fail(409, 503),
)
def revert(request: HttpRequest, id: MemoryId, asked: RevertIn) -> Memory:
    """Restore the memory's values from a past revision. This creates a new revision."""
    access = access_to(request, "write")
    memory = changeable(access.space, access.reader, id)
    revert_memory(
        space=access.space,
        memory_id=memory.pk,
        revision=asked.revision,
        actor=access.actor,
        now=timezone.now(),
    )
    return readable(access.space, access.reader).get(pk=memory.pk)
