"""mem0's calls to read, list, change and delete memories."""

from ast import literal_eval

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from ninja import Path, Query

from accounts.authentication import access_to
from endpoints.mem0.access import found_rows, memories_of, memory_of, own_rows
from endpoints.mem0.fields import APP, ENTITIES
from endpoints.mem0.filters import given_fields, read_filter
from endpoints.mem0.schemas import BatchDeleteIn, BatchUpdateIn, DeleteIn, ListIn, PageIn, UpdateIn
from endpoints.mem0.shapes import (
    EVENTS,
    Json,
    history_out,
    memories_out,
    memory_out,
    only_fields,
    page_out,
)
from foundation.errors import FieldError, InvalidArguments
from memory.drafts import AddedMetadata
from memory.memories.bulk import delete_memories
from memory.models import MemoryEvent, MemoryRevision
from memory.retention.recycle_bin import delete_memory
from memory.store.services import revise_memory

USUAL_PAGE = 100
_NEWEST = ("-created_at", "-pk")
_NAMES = (*ENTITIES, APP)
# A call that named anything else would find, or delete, more than its caller asked for.
_IGNORED = ("org_id", "project_id", "org_name", "project_name", "version", "output_format")
_LONGEST = 2000  # characters of a filter in the address
_KNOWN = {*_NAMES, *_IGNORED, "page", "page_size"}


def list_memories(request: HttpRequest, asked: ListIn, page: Query[PageIn]) -> Json:
    """Return a page of the memories that the filters find, newest first. The page is named in the
    address or in the body."""
    access = access_to(request, "read")
    rows = found_rows(access, asked.condition(created_at=asked.period, keywords=asked.keywords))
    number = page.page or asked.page or 1
    size = page.page_size or asked.page_size or USUAL_PAGE
    part = list(rows.defer("search").order_by(*_NEWEST)[(number - 1) * size : number * size])
    found = only_fields(memories_out(access.space, part), asked.fields_)
    return page_out(request, found, page=number, size=size, count=rows.count())


def list_by_address(request: HttpRequest, page: Query[PageIn]) -> Json | list[Json]:
    """Return the memories of a user, agent, app or run, newest first: a list, or a page of it if
    the address names one. Clients before 1.0 list so."""
    access, named = access_to(request, "read"), _named_in_address(request)
    rows = found_rows(access, read_filter(named))
    number, size = page.page or 1, page.page_size or USUAL_PAGE
    part = list(rows.defer("search").order_by(*_NEWEST)[(number - 1) * size : number * size])
    found = memories_out(access.space, part)
    if page.page is None and page.page_size is None:
        return found
    return page_out(request, found, page=number, size=size, count=rows.count())


def delete_all(request: HttpRequest) -> Json:
    """Move all memories of a user, agent, app or run to the recycle bin."""
    access, named = access_to(request, "write"), _named_in_address(request, "filters")
    filters = _named_in_filters(request.GET.get("filters"))
    if not (named or filters):
        message = f"name at least one of {', '.join(_NAMES)}"
        raise InvalidArguments(FieldError("filters", message))
    ids = list(own_rows(access, read_filter(named, filters)).live().values_list("pk", flat=True))
    gone = delete_memories(
        space=access.space, memory_ids=ids, actor=access.actor, now=timezone.now()
    )
    return {"message": "Memories deleted successfully!", "deleted": gone}


def _named_in_filters(written: str | None) -> Json:
    """Return the names in a `filters` object of the address, which mem0's client writes as Python
    does. Raises InvalidArguments for anything but one object with names."""
    if written is None:
        return {}
    try:
        found: Json = literal_eval(written[:_LONGEST])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        found = {}
    texts = [*found, *found.values()] if isinstance(found, dict) else []
    if not texts or not all(isinstance(one, str) for one in texts) or not found.keys() <= {*_NAMES}:
        message = f"must be one object with {', '.join(_NAMES)}"
        raise InvalidArguments(FieldError("filters", message))
    return found


def _named_in_address(request: HttpRequest, *known: str) -> Json:
    """Return the filter in the address. Raises InvalidArguments for a field that is not known."""
    wrong = sorted(request.GET.keys() - _KNOWN - set(known))
    if wrong:
        message = f"cannot be used here; name {', '.join(_NAMES)} as arguments of their own"
        raise InvalidArguments(*(FieldError(name, message) for name in wrong))
    return given_fields(**{name: request.GET.get(name) for name in _NAMES})


def get_memory(request: HttpRequest, memory_id: Path[str]) -> Json:
    """Return one memory."""
    access, memory = memory_of(request, "read", memory_id)
    return memory_out(access.space, memory)


def update_memory(request: HttpRequest, memory_id: Path[str], asked: UpdateIn) -> Json:
    """Change the text or the metadata of a memory; the earlier version is kept as a revision."""
    access, memory = memory_of(request, "write", memory_id)
    revised = revise_memory(
        space=access.space,
        memory_id=memory.pk,
        change=_change(asked),
        actor=access.actor,
        now=timezone.now(),
    )
    return memory_out(access.space, revised)


def _change(asked: UpdateIn) -> AddedMetadata:
    """Return the change. As with mem0, metadata keeps the keys that are not named."""
    return AddedMetadata(content=asked.text, metadata=asked.metadata)


def delete_one(request: HttpRequest, memory_id: Path[str], asked: Query[DeleteIn]) -> Json:
    """Move a memory to the recycle bin."""
    if asked.delete_linked:
        message = "Ebb keeps no chains of superseded memories: they are in the recycle bin"
        raise InvalidArguments(FieldError("delete_linked", message))
    access, memory = memory_of(request, "write", memory_id)
    delete_memory(space=access.space, memory_id=memory.pk, actor=access.actor, now=timezone.now())
    return {"message": "Memory deleted successfully!"}


def get_history(request: HttpRequest, memory_id: Path[str]) -> list[Json]:
    """Return how a memory was added, changed and deleted, oldest first."""
    access, memory = memory_of(request, "read", memory_id, binned=True)
    events = MemoryEvent.objects.in_space(access.space).filter(memory_id=memory.pk)
    events = events.filter(action__in=list(EVENTS)).order_by("at", "pk")
    past = MemoryRevision.objects.filter(space_id=access.space.pk, memory_id=memory.pk)
    return history_out(memory, list(events), list(past.order_by("number")))


def update_batch(request: HttpRequest, asked: BatchUpdateIn) -> Json:
    """Change memories, all or none."""
    access, found = memories_of(request, "write", [one.memory_id for one in asked.memories])
    now, actor = timezone.now(), access.actor.in_action()
    # In one order, as everywhere, so that two batches cannot deadlock.
    changes = sorted(asked.memories, key=lambda one: found[one.memory_id].pk)
    with transaction.atomic():
        for one in changes:
            revise_memory(
                space=access.space,
                memory_id=found[one.memory_id].pk,
                change=_change(one),
                actor=actor,
                now=now,
            )
    return {"message": f"Successfully updated {len(changes)} memories"}


def delete_batch(request: HttpRequest, asked: BatchDeleteIn) -> Json:
    """Move memories to the recycle bin, all or none."""
    access, found = memories_of(request, "write", [one.memory_id for one in asked.memories])
    ids = {memory.pk for memory in found.values()}
    gone = delete_memories(
        space=access.space, memory_ids=ids, actor=access.actor, now=timezone.now()
    )
    return {"message": f"Successfully deleted {gone} memories"}
