"""JSON API of the history of a space's memories."""

from django.http import HttpRequest
from ninja import Query, Router

from accounts.authentication import access_to
from foundation.errors import FieldError, InvalidArguments
from foundation.http.pagination import keyset
from memory.models import MemoryEvent
from memory.models.history import HistoryQuerySet
from memory.store.history_schemas import HistoryIn, HistoryList

router = Router(tags=["history"])


@router.get("history", response=HistoryList, url_name="history_list", operation_id="listHistory")
def list_history(request: HttpRequest, asked: Query[HistoryIn]) -> dict[str, object]:
    """List the events of memories, newest first. To undo a removal, restore the memory."""
    access = access_to(request, "read")
    events = MemoryEvent.objects.in_space(access.space).readable_by(access.reader)
    if asked.action:
        events = events.filter(action=asked.action)
    if asked.memory_id is not None:
        events = _about(events, asked.memory_id)
    if asked.since:
        events = events.filter(at__gte=asked.since)
    items, following = keyset("-at").page(events, limit=asked.limit, cursor=asked.cursor)
    return {"items": items, "next": following}


def _about(events: HistoryQuerySet, reference: str) -> HistoryQuerySet:
    try:
        return events.about(reference)
    except ValueError:
        message = "must be a UUID or a short id"
        raise InvalidArguments(FieldError("memory_id", message)) from None
