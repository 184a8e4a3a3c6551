"""JSON API of memories, search and ranking profiles."""

from datetime import datetime

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status

from accounts.authentication import Access, access_to
from accounts.limits.rate_limits import CallKind, count_call
from foundation.errors import Forbidden
from foundation.http.pagination import clock_of, keyset
from foundation.http.requests import MemoryId, OnceOnly, may_fail
from foundation.readers import EVERYONE
from foundation.texts.forms import tag_spellings
from memory.drafts import MemoryAsked, MemoryChange
from memory.formulas.ranking import PROFILES
from memory.memories.schemas import (
    BatchIn,
    BatchOut,
    CreatedOut,
    MemoryList,
    MemoryListIn,
    ProfileList,
    SearchIn,
    SearchOut,
)
from memory.metadata_filters import metadata_condition
from memory.models import Memory
from memory.recall.recall import SearchRequest, recall
from memory.reconciliation.services import remember_drafts
from memory.references import changeable, one, readable
from memory.retention import recycle_bin
from memory.store import services
from memory.store.idempotency import key_of
from memory.store.schemas import MemoryOut

router = Router(tags=["memories"])


@router.post(
    "memories",
    response={201: CreatedOut},
    url_name="memories_create",
    operation_id="createMemory",
    openapi_extra=may_fail(409, 503),
)
def create_memory(
    request: HttpRequest,
    draft: MemoryAsked,
    idempotency_key: OnceOnly = None,
) -> Status[Memory]:
    """Save one memory. A repeated call with the same Idempotency-Key returns the same memory.

    With `on_duplicate: "reinforce"` a restatement raises the importance of the existing memory. A
    statement that replaces an existing memory revises or supersedes that memory. The response is
    the memory that now contains the statement. A user's statement never changes a memory of another
    user, nor a shared one.
    """
    access, now = access_to(request, "write", draft.user_id), timezone.now()
    [written, *_] = remember_drafts(
        space=access.space,
        drafts=[_owned(draft, access, now)],
        actor=access.actor,
        now=now,
        idempotency_key=key_of(idempotency_key, access.reader),
    )
    return Status(201, readable(access.space, access.reader).get(pk=written.memory.pk))


@router.post(
    "memories/batch",
    response={201: BatchOut},
    url_name="memories_create_batch",
    operation_id="createMemories",
    openapi_extra=may_fail(409, 503),
)
def create_memories(
    request: HttpRequest, asked: BatchIn, idempotency_key: OnceOnly = None
) -> Status[dict[str, object]]:
    """Save up to a thousand memories, all or none; items of one conversation keep their order.

    `created` counts the new ones: an item with `on_duplicate` may return an existing memory. A
    repeated call with the same Idempotency-Key returns the same memories. Each item may name its
    user; an item without one belongs to the user of the call.
    """
    access, now = access_to(request, "write"), timezone.now()
    done = remember_drafts(
        space=access.space,
        drafts=[
            _owned(draft, access, now, zone=asked.timezone, field=f"items.{place}.created_at")
            for place, draft in enumerate(asked.items)
        ],
        actor=access.actor,
        now=now,
        idempotency_key=key_of(idempotency_key, access.reader),
    )
    # The caller sent these texts, so it may read them, whichever user they belong to.
    stored = readable(access.space, EVERYONE).in_bulk([written.memory.pk for written in done])
    items = [stored[written.memory.pk] for written in done]
    created = sum(written.is_new for written in done)
    return Status(201, {"created": created, "items": items})


def _owned(
    draft: MemoryAsked, access: Access, now: datetime, *, zone: str | None = None,
    field: str = "created_at",
) -> MemoryAsked:  # fmt: skip
    """Return the draft of the user whom it names, or else of the user of the call, with its time in
    the speaker's zone. Raises Forbidden if the caller may not name this user, InvalidArguments for
    a time that is not plausible."""
    owner = access.owner
    if None not in (owner, draft.user_id) and draft.user_id != owner:
        raise Forbidden("The call acts for one user, but this memory belongs to another.")
    said = access.said(draft.created_at, now=now, zone=draft.timezone or zone, field=field)
    return draft.model_copy(update={"user_id": draft.user_id or owner, "created_at": said})


@router.get("memories", response=MemoryList, url_name="memories_list", operation_id="listMemories")
def list_memories(request: HttpRequest, asked: Query[MemoryListIn]) -> dict[str, object]:
    """List the space's memories, filtered and sorted."""
    access = access_to(request, "read")
    as_of = clock_of(asked.cursor, default=timezone.now())
    rows = readable(access.space, access.reader, as_of=as_of).filter(status=asked.status)
    if asked.memory_type:
        rows = rows.filter(memory_type=asked.memory_type)
    if asked.tag:
        rows = rows.filter(tags__overlap=tag_spellings(asked.tag))
    if asked.q:
        rows = rows.saying(asked.q)
    rows = rows.filter(metadata_condition(asked.metadata or {}))
    named = {"agent_id": asked.agent_id, "session_id": asked.session_id}
    named["external_id"] = asked.external_id
    rows = rows.filter(**{column: name for column, name in named.items() if name is not None})
    items, following = keyset(asked.order).page(
        rows, limit=asked.limit, cursor=asked.cursor, as_of=as_of
    )
    return {"items": items, "next": following}


@router.post(
    "memories/search",
    response=SearchOut,
    url_name="memories_search",
    operation_id="searchMemories",
    openapi_extra=may_fail(503),
)
def search_memories(request: HttpRequest, asked: SearchIn) -> SearchOut:
    """Search memories by a question, with the parts of each score. A search does not count as
    use.
    """
    access = access_to(request, "read", asked.user_id)
    now = access.here(timezone.now(), asked.timezone)
    count_call(access, CallKind.EXPLAIN if asked.explain else CallKind.SEARCH, now=now)
    own = asked.model_dump(exclude={"user_id", "metadata", "timezone", "as_of"})
    search = SearchRequest(
        **own,
        where=metadata_condition(asked.metadata),
        reader=access.reader,
        as_of=asked.moment(now),
    )
    return SearchOut.of(recall(access.space, search, now=now))


@router.get("memories/{id}", response=MemoryOut, url_name="memories_get", operation_id="getMemory")
def get_memory(request: HttpRequest, id: MemoryId) -> Memory:
    """Return one memory, by whole or short id."""
    access = access_to(request, "read")
    return one(access.space, access.reader, id)


@router.patch(
    "memories/{id}",
    response=MemoryOut,
    url_name="memories_revise",
    operation_id="reviseMemory",
    openapi_extra=may_fail(409, 503),
)
def revise_memory(request: HttpRequest, id: MemoryId, change: MemoryChange) -> Memory:
    """Change a memory; its previous version is kept as a revision.

    A change of `user_id` needs the scope `admin`.
    """
    access = access_to(request, "write")
    if change.changes_user:
        access.require("admin")
    memory = changeable(access.space, access.reader, id)
    services.revise_memory(
        space=access.space,
        memory_id=memory.pk,
        change=change,
        actor=access.actor,
        now=timezone.now(),
    )
    # Its user may be another one now.
    return readable(access.space, EVERYONE).get(pk=memory.pk)


@router.delete(
    "memories/{id}",
    response=MemoryOut,
    url_name="memories_delete",
    operation_id="deleteMemory",
    openapi_extra=may_fail(409),
)
def delete_memory(request: HttpRequest, id: MemoryId) -> Memory:
    """Move a memory to the recycle bin."""
    access = access_to(request, "write")
    memory = changeable(access.space, access.reader, id)
    recycle_bin.delete_memory(
        space=access.space, memory_id=memory.pk, actor=access.actor, now=timezone.now()
    )
    return readable(access.space, access.reader).get(pk=memory.pk)


@router.post(
    "memories/{id}/restore",
    response=MemoryOut,
    url_name="memories_restore",
    operation_id="restoreMemory",
    openapi_extra=may_fail(409),
)
def restore_memory(request: HttpRequest, id: MemoryId) -> Memory:
    """Restore a memory from the recycle bin and restart its lifetime."""
    access = access_to(request, "write")
    memory = changeable(access.space, access.reader, id)
    recycle_bin.restore_memory(
        space=access.space, memory_id=memory.pk, actor=access.actor, now=timezone.now()
    )
    return readable(access.space, access.reader).get(pk=memory.pk)


@router.get("profiles", response=ProfileList, url_name="profiles_list", operation_id="listProfiles")
def list_profiles(request: HttpRequest) -> ProfileList:
    """List the ranking profiles and their weights."""
    access_to(request, "read")
    return ProfileList.of(list(PROFILES.values()))
